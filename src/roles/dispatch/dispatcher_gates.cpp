// Jobs that heed windows: who may be started on now.
#include "core/jobs/work_kind.h"
#include "roles/dispatch/dispatcher.h"

#include <utility>

namespace muster::dispatch {
void dispatcher::review_gates() {
    if (now() < gates_due_) return;
    gates_due_ = now() + gate_holds;
    for (const auto job : engine_.jobs()) {
        const auto known = around_.book.find(job);
        if (known != nullptr) review_gate(*known);
        if (known == nullptr) gates_.erase(job);
    }
}

void dispatcher::review_gate(const jobs::open_job& one) {
    using gate = rollout::engine::gate;
    const auto& record = one.record;
    if (!heeds_windows(record.spec)) return;
    // Where the window limits the start alone, how long the work takes is of no account.
    const auto took = record.spec.windows == job_spec::window_rule::start
                          ? surroundings::took()
                          : durations_.of(jobs::work_kind(record.spec));
    auto seen = around_.windows(one.who->targets & held_.held(), took);
    auto& known = gates_[record.job];
    const auto opened = known.closed - seen.closed;
    const auto shut = seen.closed - known.closed;
    known = {
        .closed = std::move(seen.closed),
        .begin_by = std::move(seen.begin_by),
        .holds_until = now() + gate_holds};
    if (!shut.empty()) perform(engine_.set_gate(record.job, shut, gate::closed, now()));
    if (!opened.empty()) perform(engine_.set_gate(record.job, opened, gate::open, now()));
}

// Of these nothing is known yet: they wait until it is.
void dispatcher::shut_gate(const jobs::open_job& one, const fleet::system_set& systems) {
    if (!heeds_windows(one.record.spec)) return;
    gates_[one.record.job].closed |= systems;
    perform(engine_.set_gate(one.record.job, systems, rollout::engine::gate::closed, now()));
}

// At the very moment of a start: this process may have stood still since it last looked, and a
// record may have taken long.
bool dispatcher::outside_of_window(const rollout::attempt_key& task) {
    const auto known = around_.book.find(task.job);
    if (known == nullptr || !heeds_windows(known->record.spec)) return false;
    const auto left = time_to_begin(task);
    const bool too_late = left && *left <= monotonic::duration::zero();  // somebody set the clock
    if (too_late || now() >= gates_[task.job].holds_until) review_gate(*known);
    return gates_[task.job].closed.contains(task.system);
}

// What is left of its window, as far as that matters.
std::optional<monotonic::duration> dispatcher::time_to_begin(
    const rollout::attempt_key& task) const {
    const auto gate = gates_.find(task.job);
    if (gate == gates_.end()) return std::nullopt;
    for (const auto& [latest, systems] : gate->second.begin_by)
        if (systems.contains(task.system)) return latest - around_.time.wall();
    return std::nullopt;
}

// Before the first of them is started: whether it fits what is left of a window rests on it.
async<void> dispatcher::learn_duration(job_spec work) {
    if (!around_.measured) co_return result<void>();
    CO_TRY(const auto known, co_await around_.measured(work));
    durations_.seed(jobs::work_kind(work), known);
    co_return result<void>();
}

}  // namespace muster::dispatch
