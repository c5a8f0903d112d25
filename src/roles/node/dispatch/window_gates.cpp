#include "roles/node/dispatch/window_gates.h"

#include "core/jobs/work_kind.h"

#include <utility>

namespace muster::dispatch {

window_gates::change window_gates::review(const job_record& job, const fleet::system_set& systems) {
    // Where the window limits the start alone, how long the work takes is of no account.
    const auto expected = job.spec.windows == job_spec::window_rule::start
                              ? took()
                              : durations_.of(jobs::work_kind(job.spec));
    auto seen = around_.windows(systems, expected);
    auto& known = gates_[job.job];
    change made{.shut = seen.closed - known.closed, .opened = known.closed - seen.closed};
    known = {
        .closed = std::move(seen.closed),
        .begin_by = std::move(seen.begin_by),
        .holds_until = around_.time.now() + holds};
    return made;
}

bool window_gates::is_stale(const rollout::attempt_key& task) const {
    const auto gate = gates_.find(task.job);
    if (gate == gates_.end() || around_.time.now() >= gate->second.holds_until) return true;
    const auto left = time_to_begin(task);
    return left && *left <= monotonic::duration::zero();  // somebody set the clock
}

bool window_gates::is_closed(const rollout::attempt_key& task) const {
    const auto gate = gates_.find(task.job);
    return gate != gates_.end() && gate->second.closed.contains(task.system);
}

std::optional<monotonic::duration> window_gates::time_to_begin(
    const rollout::attempt_key& task) const {
    const auto gate = gates_.find(task.job);
    if (gate == gates_.end()) return std::nullopt;
    for (const auto& [latest, systems] : gate->second.begin_by)
        if (systems.contains(task.system)) return latest - around_.time.wall();
    return std::nullopt;
}

async<void> window_gates::learn(job_spec work, fleet::system_set systems) {
    if (work.windows != job_spec::window_rule::respect || !around_.measured)
        co_return result<void>();
    const auto seen = around_.windows(systems, {});
    if (seen.closed.empty() && seen.begin_by.empty()) co_return result<void>();  // no windows
    CO_TRY(const auto known, co_await around_.measured(work));
    durations_.seed(jobs::work_kind(work), known);
    co_return result<void>();
}

void window_gates::learn(const job_spec& work, monotonic::duration took) {
    durations_.add(jobs::work_kind(work), took);
}

}  // namespace muster::dispatch
