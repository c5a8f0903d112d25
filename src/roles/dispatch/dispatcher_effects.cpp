// What the rollout engine wants done, done.
#include "base/assert.h"
#include "roles/dispatch/dispatcher.h"
#include "roles/dispatch/task_frames.h"

#include <algorithm>
#include <utility>

namespace muster::dispatch {

using muster::channel::Frame;
using muster::channel::TaskSignal;

void dispatcher::perform(const rollout::effects& effects) {
    for (const auto& each : effects) std::visit([this](const auto& one) { perform(one); }, each);
}

task_record dispatcher::row_of(const rollout::attempt_key& task, task_state state) const {
    return {
        .job = task.job,
        .system = task.system.value(),
        .attempt = task.attempt,
        .state = state,
        .node = how_.self.str(),
        .epoch = held_.epoch()};
}

// Whether how many run at once in the whole cluster matters: then a start is on record before it
// happens, so that whoever takes over counts it.
bool dispatcher::limited(job_id job) const {
    const auto known = around_.book.find(job);
    return known != nullptr && known->record.spec.rollout.batch.has_value();
}

void dispatcher::perform(const rollout::start& effect) {
    if (fenced()) {
        perform(engine_.pressure(rollout::engine::ledger::falls_behind, now()));
        perform(engine_.not_recorded(effect, now()));
        return;
    }
    if (outside_of_window(effect.task)) {
        perform(engine_.not_recorded(effect, now()));
        return;
    }
    if (!limited(effect.task.job)) {
        send_task(effect.task);
        return;
    }
    auto row = row_of(effect.task, task_state::picked_up);
    row.picked_up = around_.time.wall();
    if (!keeper_.submit(std::move(row))) {
        perform(engine_.pressure(rollout::engine::ledger::falls_behind, now()));
        perform(engine_.not_recorded(effect, now()));
        return;
    }
    starts_[{effect.task.job, effect.task.system.value()}] = effect.task.attempt;
}

void dispatcher::perform(const rollout::send_again& effect) {
    if (fenced()) {
        hold_back(effect.task);
    } else {
        send_task(effect.task);
    }
}

void dispatcher::perform(const rollout::ask& effect) {
    send(effect.task.system, signal_frame(effect.task, TaskSignal::KIND_ASK));
}

void dispatcher::perform(const rollout::kill& effect) {
    send(effect.task.system, signal_frame(effect.task, TaskSignal::KIND_CANCEL));
}

void dispatcher::perform(const rollout::conclude& effect) {
    const task_key key(effect.task.job, effect.task.system.value());
    if (const auto held = unsent_.find(key);
        held != unsent_.end() && held->second == effect.task.attempt)
        unsent_.erase(held);
    auto row = row_of(effect.task, effect.to);
    row.ended = around_.time.wall();
    const bool told =
        in_hand_ != nullptr && key_of(in_hand_->task(), effect.task.system) == effect.task;
    if (told) {
        auto said = record_of(*in_hand_, effect.task.system, around_.time.wall());
        MUSTER_ASSERT(said.has_value());
        said->state = effect.to;
        said->node = row.node;
        said->epoch = row.epoch;
        row = *std::move(said);
    }
    row.reason = effect.reason;
    if (effect.to == task_state::queued) queue_next_attempt(row);
    if (told)
        static_cast<void>(keeper_.submit(std::move(row)));  // refused: the agent says it again
    else
        presume(row, {effect.task.system});
}

void dispatcher::perform(const rollout::fail_away& effect) {
    auto row = row_of({.job = effect.job, .system = {}}, task_state::failed);
    row.ended = around_.time.wall();
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
    push_errand(halt_job{.job = effect.job, .reason = effect.reason});
}

void dispatcher::perform(const rollout::share_done& effect) {
    if (around_.book.find(effect.job) != nullptr) return;
    perform(engine_.forget(effect.job, now()));
    gates_.erase(effect.job);
    take_up_what_was_put_off();
}

void dispatcher::send_task(const rollout::attempt_key& task) {
    const auto job = around_.book.find(task.job);
    if (job == nullptr) return;
    if (is_over(job->record)) {
        // If it never got there, the answer says so, and the task ends as its job did.
        send(task.system, signal_frame(task, TaskSignal::KIND_ASK));
        return;
    }
    if (job->record.stage == job_stage::paused || outside_of_window(task)) {
        hold_back(task);
        return;
    }
    send(task.system, task_frame(task, job->record.spec, time_to_begin(task)));
}

// Tried again whenever the clock is looked at.
void dispatcher::hold_back(const rollout::attempt_key& task) {
    unsent_[{task.job, task.system.value()}] = task.attempt;
}

// Nothing more of it is to begin.
bool dispatcher::is_over(const job_record& job) const {
    if (job.stage != job_stage::open && job.stage != job_stage::paused) return true;
    return now() >= rollout::span_of(job.spec, job.job, around_.time.wall(), now()).expires;
}

void dispatcher::send(system_number to, Frame frame) {
    const auto known = channels_.find(to);
    if (known == channels_.end()) return;
    out_.push_back({.to = known->second, .frame = std::move(frame)});
}

void dispatcher::flush() {
    if (!out_.empty()) around_.send(std::exchange(out_, {}));
}

void dispatcher::export_to(runtime::metrics& counted) {
    counted.watch_gauge({"muster_tasks_in_flight", "Tasks under way on this node."}, [this] {
        return static_cast<double>(in_flight_.load());
    });
    counted.watch_gauge(
        {"muster_returns_waiting", "Task records that wait for the ledger."},
        [this] { return static_cast<double>(waiting_.load()); });
    counted.watch_counter(
        {"muster_returns_written_total", "Task records brought on record."},
        [this] { return static_cast<double>(keeper_.written()); });
    counted.watch_counter(
        {"muster_returns_refused_total", "Task records put off because too many waited."},
        [this] { return static_cast<double>(keeper_.refused()); });
    counted.watch_counter({"muster_payloads_stored_total", "Payloads brought on record."}, [this] {
        return static_cast<double>(payloads_.stored());
    });
    counted.watch_counter(
        {"muster_payloads_shared_total", "Payloads that were on record already."},
        [this] { return static_cast<double>(payloads_.shared()); });
    counted.watch_counter(
        {"muster_payloads_put_off_total", "Payloads left with their agents for want of room."},
        [this] { return static_cast<double>(payloads_.put_off()); });
    counted.watch_counter(
        {"muster_payloads_lost_total", "Payloads that no agent could give; their tasks say so."},
        [this] { return static_cast<double>(payloads_.lost()); });
    counted.watch_counter(
        {"muster_task_news_dropped_total", "What agents said of tasks and must say again."},
        [this] { return static_cast<double>(inbox_.dropped() + errands_dropped_.load()); });
}

void dispatcher::wipe() {
    starts_.clear();
    unsent_.clear();
    unrecorded_.clear();
    unrecorded_since_.clear();
    known_epoch_.reset();
    std::vector<system_number> gone;
    for (const auto& each : std::exchange(channels_, {})) gone.push_back(each.first);
    std::ranges::sort(gone);
    for (const auto each : gone) perform(engine_.went_away(each, now()));
    holdings_changed(held_.drop());
}

}  // namespace muster::dispatch
