#include "roles/node/dispatch/window_gates.h"

#include "core/jobs/work_kind.h"

#include <utility>

namespace muster::dispatch {

window_gates::change window_gates::review(const job_record& job, const fleet::system_set& systems) {
    // Where the window limits the start alone, how long the work takes is of no account.
    const auto expected = job.spec.windows == job_spec::window_rule::start
                              ? window_source::took()
                              : durations_.of(jobs::work_kind(job.spec));
    auto observed = windows_.look(systems, expected);
    auto& existing = gates_[job.job];
    change change{
        .shut = observed.closed - existing.closed, .opened = existing.closed - observed.closed};
    existing = {
        .closed = std::move(observed.closed),
        .begin_by = std::move(observed.begin_by),
        .holds_until = clock_.now() + holds};
    return change;
}

bool window_gates::is_stale(const rollout::attempt_key& task) const {
    const auto gate = gates_.find(task.job);
    if (gate == gates_.end() || clock_.now() >= gate->second.holds_until) return true;
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
        if (systems.contains(task.system)) return latest - clock_.wall();
    return std::nullopt;
}

async<void> window_gates::learn(job_spec work, fleet::system_set systems) {
    if (work.windows != job_spec::window_rule::respect) co_return result<void>();
    const auto observed = windows_.look(systems, {});
    if (observed.closed.empty() && observed.begin_by.empty())
        co_return result<void>();  // no windows
    CO_TRY(const auto existing, co_await windows_.measure(work));
    durations_.seed(jobs::work_kind(work), existing);
    co_return result<void>();
}

void window_gates::learn(const job_spec& work, monotonic::duration took) {
    durations_.add(jobs::work_kind(work), took);
}

}  // namespace muster::dispatch
