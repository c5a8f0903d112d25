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
    for (const auto state : all_task_states)
        if (is_final(state)) count += (*this)[state];
    return count;
}

task_sets::task_sets(fleet::system_set targets) : targets_(std::move(targets)) {}

void task_sets::set_state(system_number system, task_state recorded) {
    if (!targets_.contains(system)) return;
    for (const auto state : all_task_states)
        if (state != recorded) set_of(state).remove(system);
    set_of(recorded).add(system);
}

fleet::system_set task_sets::not_started() const {
    auto systems = targets_;
    for (const auto state : all_task_states)
        if (state != task_state::queued) systems -= set_of(state);
    return systems;
}

fleet::system_set task_sets::members(task_state state, job_stage job) const {
    // A record in state "queued" counts as no record.
    const auto unrecorded_state = state_of(nullptr, job);
    auto systems = state == unrecorded_state ? not_started() : fleet::system_set();
    if (state != task_state::queued) systems |= set_of(state);
    return systems;
}

task_counts task_sets::counts(job_stage job) const {
    task_counts counts;
    std::uint64_t started = 0;
    for (const auto state : all_task_states) {
        if (state == task_state::queued) continue;
        counts[state] = set_of(state).size();
        started += counts[state];
    }
    MUSTER_ASSERT(started <= targets_.size());
    counts[state_of(nullptr, job)] += targets_.size() - started;
    return counts;
}

std::uint64_t task_sets::recorded() const {
    std::uint64_t count = 0;
    for (const auto& set : sets_) count += set.size();
    return count;
}

std::size_t task_sets::memory() const {
    std::size_t bytes = targets_.memory();
    for (const auto& set : sets_) bytes += set.memory();
    return bytes;
}

}  // namespace muster::jobs
