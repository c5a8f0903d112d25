// dispatcher: effects of the task scheduler, and metrics.
#include "roles/node/dispatch/dispatcher.h"
#include "roles/node/dispatch/task_frames.h"

#include <algorithm>
#include <utility>

namespace muster::dispatch {

using muster::agent_protocol::TaskSignal;
using rollout::task_scheduler;

task_record dispatcher::row_of(const rollout::attempt_key& task, task_state state) const {
    return {
        .job = task.job,
        .system = task.system.value(),
        .attempt = task.attempt,
        .state = state,
        .node = options_.self.str(),
        .epoch = owned_.epoch()};
}

// Whether the job has a cluster-wide limit of running tasks. Its starts are stored before they
// happen, so that another node that takes over counts them.
bool dispatcher::is_limited(job_id job) const {
    const auto it = deps_.open_jobs.find(job);
    return it != nullptr && it->record.spec.rollout.batch.has_value();
}

void dispatcher::perform(const rollout::start& effect) {
    if (is_fenced()) return refuse_start(effect);
    if (is_outside_window(effect.task))
        return scheduler_.feed(&task_scheduler::on_not_recorded, effect);
    if (!is_limited(effect.task.job)) return send_task(effect.task);
    auto row = row_of(effect.task, task_state::picked_up);
    row.picked_up = deps_.clock.wall();
    if (!result_writer_.submit(std::move(row))) return refuse_start(effect);
    unsent_.await_record(effect.task);
}

// Nothing can be stored now, so the scheduler must not start other tasks either.
void dispatcher::refuse_start(const rollout::start& effect) {
    scheduler_.feed(&task_scheduler::set_ledger_state, task_scheduler::ledger_state::overloaded);
    scheduler_.feed(&task_scheduler::on_not_recorded, effect);
}

void dispatcher::perform(const rollout::resend_task& effect) {
    if (is_fenced()) {
        unsent_.hold(effect.task);
    } else {
        send_task(effect.task);
    }
}

void dispatcher::perform(const rollout::query_task& effect) {
    outbox_.add(effect.task.system, signal_frame(effect.task, TaskSignal::KIND_ASK));
}

void dispatcher::perform(const rollout::kill& effect) {
    outbox_.add(effect.task.system, signal_frame(effect.task, TaskSignal::KIND_CANCEL));
}

void dispatcher::perform(const rollout::conclude& effect) {
    unsent_.on_ended(effect.task);
    auto row = row_of(effect.task, effect.state);
    row.ended = deps_.clock.wall();
    const auto report = reported_.extract(effect.task);
    if (!report.empty()) {
        auto& reported = report.mapped();
        reported.state = effect.state;
        reported.node = row.node;
        reported.epoch = row.epoch;
        row = std::move(reported);
    }
    row.reason = effect.reason;
    if (effect.state == task_state::queued) queue_next_attempt(row);
    if (!report.empty())
        static_cast<void>(
            result_writer_.submit(std::move(row)));  // if refused, the agent repeats the report
    else
        presume(row, {effect.task.system});
}

void dispatcher::perform(const rollout::fail_absent& effect) {
    auto row = row_of({.job = effect.job, .system = {}}, task_state::failed);
    row.ended = deps_.clock.wall();
    row.reason = effect.reason;
    presume(row, effect.systems);
}

void dispatcher::presume(const task_record& row, fleet::system_set systems) {
    presumed_.add(row, std::move(systems));
    write_presumed();
}

// Retried at each tick of watch_clock().
void dispatcher::write_presumed() {
    if (!presumed_.empty())
        presumed_.write([this](task_record row) { return result_writer_.submit(std::move(row)); });
}

void dispatcher::perform(const rollout::halt& effect) {
    work_.push(halt_job{.job = effect.job, .reason = effect.reason});
}

void dispatcher::perform(const rollout::share_done& effect) {
    if (deps_.open_jobs.find(effect.job) != nullptr) return;
    scheduler_.feed(&task_scheduler::remove, effect.job);
    gates_.forget(effect.job);
    has_free_slot_ = true;
}

// A forgotten job makes room for a deferred one.
void dispatcher::settled() {
    if (!std::exchange(has_free_slot_, false)) return;
    while (const auto job = work_.first_deferred()) {
        if (!scheduler_->has_room_for(*job)) return;
        work_.resume_first();
        if (deps_.open_jobs.find(*job) != nullptr) return;  // it uses the free slot
    }
}

void dispatcher::send_task(const rollout::attempt_key& task) {
    const auto job = deps_.open_jobs.find(task.job);
    if (job == nullptr) return;
    if (is_finished(job->record)) {
        // If the task never arrived, the agent says so, and the task ends like its job.
        outbox_.add(task.system, signal_frame(task, TaskSignal::KIND_ASK));
        return;
    }
    if (job->record.stage == job_stage::paused || is_outside_window(task)) {
        unsent_.hold(task);  // retried at each tick of watch_clock()
        return;
    }
    outbox_.add(task.system, task_frame(task, job->record.spec, gates_.remaining_time(task)));
}

// No more tasks of the job may start.
bool dispatcher::is_finished(const job_record& job) const {
    if (job.stage != job_stage::open && job.stage != job_stage::paused) return true;
    return now() >= rollout::period_of(job.spec, job.job, deps_.clock.wall(), now()).expires;
}

void dispatcher::export_to(runtime::metrics& metrics) {
    metrics.watch_gauge(
        {"muster_tasks_in_flight", "Number of tasks in flight on this node."},
        [this] { return static_cast<double>(in_flight_.load()); });
    metrics.watch_gauge(
        {"muster_returns_waiting", "Number of task results waiting for the ledger."},
        [this] { return static_cast<double>(waiting_.load()); });
    metrics.watch_counter(
        {"muster_returns_written_total", "Total number of task results written since start."},
        [this] { return static_cast<double>(result_writer_.written()); });
    metrics.watch_counter(
        {"muster_returns_refused_total",
         "Total number of task results deferred since start because the queue was full."},
        [this] { return static_cast<double>(result_writer_.refused()); });
    metrics.watch_counter(
        {"muster_payloads_stored_total", "Total number of payloads stored since start."},
        [this] { return static_cast<double>(payloads_.stored()); });
    metrics.watch_counter(
        {"muster_payloads_shared_total",
         "Total number of payloads since start that were already stored."},
        [this] { return static_cast<double>(payloads_.shared()); });
    metrics.watch_counter(
        {"muster_payloads_deferred_total",
         "Total number of payloads left with agents since start because the buffer was full."},
        [this] { return static_cast<double>(payloads_.deferred()); });
    metrics.watch_counter(
        {"muster_payloads_lost_total",
         "Total number of lost payloads since start; the task results show the reason."},
        [this] { return static_cast<double>(payloads_.lost()); });
    metrics.watch_counter(
        {"muster_agent_messages_dropped_total",
         "Total number of dropped agent messages since start; agents send them again."},
        [this] { return static_cast<double>(deps_.inbox.dropped() + work_.dropped()); });
}

void dispatcher::wipe() {
    unsent_.clear();
    unrecorded_.clear();
    complete_epoch_.reset();
    for (const auto system : outbox_.detach_all())
        scheduler_.feed(&task_scheduler::on_detached, system);
    on_owned_changed(owned_.release_all());
}

}  // namespace muster::dispatch
