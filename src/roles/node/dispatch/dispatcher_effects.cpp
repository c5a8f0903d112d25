// What the rollout engine wants done, done.
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
        .epoch = held_.epoch()};
}

// Whether how many run at once in the whole cluster matters: then a start is on record before it
// happens, so that whoever takes over counts it.
bool dispatcher::limited(job_id job) const {
    const auto it = deps_.open_jobs.find(job);
    return it != nullptr && it->record.spec.rollout.batch.has_value();
}

void dispatcher::perform(const rollout::start& effect) {
    if (fenced()) return refuse_start(effect);
    if (outside_of_window(effect.task))
        return scheduler_.feed(&task_scheduler::not_recorded, effect);
    if (!limited(effect.task.job)) return send_task(effect.task);
    auto row = row_of(effect.task, task_state::picked_up);
    row.picked_up = deps_.clock.wall();
    if (!keeper_.submit(std::move(row))) return refuse_start(effect);
    unsent_.await_record(effect.task);
}

// Nothing can be recorded now, so no other start is wanted either.
void dispatcher::refuse_start(const rollout::start& effect) {
    scheduler_.feed(&task_scheduler::pressure, task_scheduler::ledger::falls_behind);
    scheduler_.feed(&task_scheduler::not_recorded, effect);
}

void dispatcher::perform(const rollout::send_again& effect) {
    if (fenced()) {
        unsent_.hold(effect.task);
    } else {
        send_task(effect.task);
    }
}

void dispatcher::perform(const rollout::ask& effect) {
    outbox_.add(effect.task.system, signal_frame(effect.task, TaskSignal::KIND_ASK));
}

void dispatcher::perform(const rollout::kill& effect) {
    outbox_.add(effect.task.system, signal_frame(effect.task, TaskSignal::KIND_CANCEL));
}

void dispatcher::perform(const rollout::conclude& effect) {
    unsent_.ended(effect.task);
    auto row = row_of(effect.task, effect.to);
    row.ended = deps_.clock.wall();
    const auto report = reported_.extract(effect.task);
    if (!report.empty()) {
        auto& message = report.mapped();
        message.state = effect.to;
        message.node = row.node;
        message.epoch = row.epoch;
        row = std::move(message);
    }
    row.reason = effect.reason;
    if (effect.to == task_state::queued) queue_next_attempt(row);
    if (!report.empty())
        static_cast<void>(keeper_.submit(std::move(row)));  // refused: the agent says it again
    else
        presume(row, {effect.task.system});
}

void dispatcher::perform(const rollout::fail_absent& effect) {
    auto row = row_of({.job = effect.job, .system = {}}, task_state::failed);
    row.ended = deps_.clock.wall();
    row.reason = effect.reason;
    presume(row, effect.systems);
}

void dispatcher::presume(const task_record& like, fleet::system_set systems) {
    presumed_.add(like, std::move(systems));
    write_presumed();
}

// Tried again whenever the clock is looked at.
void dispatcher::write_presumed() {
    if (!presumed_.empty())
        presumed_.write([this](task_record row) { return keeper_.submit(std::move(row)); });
}

void dispatcher::perform(const rollout::halt& effect) {
    work_.push(halt_job{.job = effect.job, .reason = effect.reason});
}

void dispatcher::perform(const rollout::share_done& effect) {
    if (deps_.open_jobs.find(effect.job) != nullptr) return;
    scheduler_.feed(&task_scheduler::forget, effect.job);
    gates_.forget(effect.job);
    has_room_ = true;
}

// A job that is forgotten makes room for one that was put off.
void dispatcher::settled() {
    if (!std::exchange(has_room_, false)) return;
    while (const auto job = work_.first_put_off()) {
        if (!scheduler_->takes(*job)) return;
        work_.resume_first();
        if (deps_.open_jobs.find(*job) != nullptr) return;  // it takes the room
    }
}

void dispatcher::send_task(const rollout::attempt_key& task) {
    const auto job = deps_.open_jobs.find(task.job);
    if (job == nullptr) return;
    if (is_over(job->record)) {
        // If it never got there, the answer says so, and the task ends as its job did.
        outbox_.add(task.system, signal_frame(task, TaskSignal::KIND_ASK));
        return;
    }
    if (job->record.stage == job_stage::paused || outside_of_window(task)) {
        unsent_.hold(task);  // tried again whenever the clock is looked at
        return;
    }
    outbox_.add(task.system, task_frame(task, job->record.spec, gates_.time_to_begin(task)));
}

// Nothing more of it is to begin.
bool dispatcher::is_over(const job_record& job) const {
    if (job.stage != job_stage::open && job.stage != job_stage::paused) return true;
    return now() >= rollout::span_of(job.spec, job.job, deps_.clock.wall(), now()).expires;
}

void dispatcher::export_to(runtime::metrics& metrics) {
    metrics.watch_gauge({"muster_tasks_in_flight", "Tasks under way on this node."}, [this] {
        return static_cast<double>(in_flight_.load());
    });
    metrics.watch_gauge(
        {"muster_returns_waiting", "Task records that wait for the ledger."},
        [this] { return static_cast<double>(waiting_.load()); });
    metrics.watch_counter(
        {"muster_returns_written_total", "Task records brought on record."},
        [this] { return static_cast<double>(keeper_.written()); });
    metrics.watch_counter(
        {"muster_returns_refused_total", "Task records put off because too many waited."},
        [this] { return static_cast<double>(keeper_.refused()); });
    metrics.watch_counter({"muster_payloads_stored_total", "Payloads brought on record."}, [this] {
        return static_cast<double>(payloads_.stored());
    });
    metrics.watch_counter(
        {"muster_payloads_shared_total", "Payloads that were on record already."},
        [this] { return static_cast<double>(payloads_.shared()); });
    metrics.watch_counter(
        {"muster_payloads_put_off_total", "Payloads left with their agents for want of room."},
        [this] { return static_cast<double>(payloads_.put_off()); });
    metrics.watch_counter(
        {"muster_payloads_lost_total", "Payloads that no agent could give; their tasks say so."},
        [this] { return static_cast<double>(payloads_.lost()); });
    metrics.watch_counter(
        {"muster_task_news_dropped_total", "What agents said of tasks and must say again."},
        [this] { return static_cast<double>(deps_.inbox.dropped() + work_.dropped()); });
}

void dispatcher::wipe() {
    unsent_.clear();
    unrecorded_.clear();
    known_epoch_.reset();
    for (const auto each : outbox_.detach_all()) scheduler_.feed(&task_scheduler::went_away, each);
    holdings_changed(held_.drop());
}

}  // namespace muster::dispatch
