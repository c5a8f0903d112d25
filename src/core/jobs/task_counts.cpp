#include "core/jobs/task_counts.h"

#include "base/assert.h"

#include <numeric>
#include <utility>

namespace muster::jobs {

std::uint64_t task_counts::sum() const {
    return std::accumulate(by_state.begin(), by_state.end(), std::uint64_t{0});
}

std::uint64_t task_counts::ended() const {
    std::uint64_t count = 0;
    for (const auto each : all_task_states)
        if (is_end(each)) count += (*this)[each];
    return count;
}

task_sets::task_sets(fleet::system_set targets) : targets_(std::move(targets)) {}

void task_sets::note(system_number system, task_state recorded) {
    if (!targets_.contains(system)) return;
    for (const auto each : all_task_states)
        if (each != recorded) set_of(each).remove(system);
    set_of(recorded).add(system);
}

fleet::system_set task_sets::not_started() const {
    auto left = targets_;
    for (const auto each : all_task_states)
        if (each != task_state::queued) left -= set_of(each);
    return left;
}

fleet::system_set task_sets::members(task_state state, job_stage job) const {
    // A record that says "queued" and the lack of one come to the same.
    const auto presumed = state_of(nullptr, job);
    auto found = state == presumed ? not_started() : fleet::system_set();
    if (state != task_state::queued) found |= set_of(state);
    return found;
}

task_counts task_sets::counts(job_stage job) const {
    task_counts counted;
    std::uint64_t started = 0;
    for (const auto each : all_task_states) {
        if (each == task_state::queued) continue;
        counted[each] = set_of(each).size();
        started += counted[each];
    }
    MUSTER_ASSERT(started <= targets_.size());
    counted[state_of(nullptr, job)] += targets_.size() - started;
    return counted;
}

std::uint64_t task_sets::recorded() const {
    std::uint64_t count = 0;
    for (const auto& each : sets_) count += each.size();
    return count;
}

std::size_t task_sets::memory() const {
    std::size_t bytes = targets_.memory();
    for (const auto& each : sets_) bytes += each.memory();
    return bytes;
}

}  // namespace muster::jobs
