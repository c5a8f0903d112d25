#include "roles/node/dispatch/window_gates.h"

#include "core/jobs/work_kind.h"

#include <utility>

namespace muster::dispatch {

window_gates::change window_gates::update(const job_record& job, const fleet::system_set& systems) {
    // If the window limits only the start, the duration does not matter.
    const auto expected = job.spec.windows == job_spec::window_rule::start
                              ? window_source::measured_duration()
                              : durations_.find(jobs::work_kind(job.spec));
    auto admission = windows_.check(systems, expected);
    auto& gate = gates_[job.job];
    change change{
        .closed = admission.closed - gate.closed, .opened = gate.closed - admission.closed};
    gate = {
        .closed = std::move(admission.closed),
        .latest_starts = std::move(admission.latest_starts),
        .valid_until = clock_.now() + validity};
    return change;
}

bool window_gates::is_stale(const rollout::attempt_key& task) const {
    const auto gate = gates_.find(task.job);
    if (gate == gates_.end() || clock_.now() >= gate->second.valid_until) return true;
    const auto remaining = remaining_time(task);
    return remaining && *remaining <= monotonic::duration::zero();  // the clock was changed
}

bool window_gates::is_closed(const rollout::attempt_key& task) const {
    const auto gate = gates_.find(task.job);
    return gate != gates_.end() && gate->second.closed.contains(task.system);
}

std::optional<monotonic::duration> window_gates::remaining_time(
    const rollout::attempt_key& task) const {
    const auto gate = gates_.find(task.job);
    if (gate == gates_.end()) return std::nullopt;
    for (const auto& [latest, systems] : gate->second.latest_starts)
        if (systems.contains(task.system)) return latest - clock_.wall();
    return std::nullopt;
}

async<void> window_gates::load_durations(job_spec work, fleet::system_set systems) {
    if (work.windows != job_spec::window_rule::respect) co_return result<void>();
    const auto admission = windows_.check(systems, {});
    if (admission.closed.empty() && admission.latest_starts.empty())
        co_return result<void>();  // no windows
    CO_TRY(const auto measured, co_await windows_.measure(work));
    durations_.seed(jobs::work_kind(work), measured);
    co_return result<void>();
}

void window_gates::add_duration(const job_spec& work, monotonic::duration duration) {
    durations_.add(jobs::work_kind(work), duration);
}

}  // namespace muster::dispatch
