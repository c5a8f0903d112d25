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
    for (const auto all_task_state : all_task_states)
        if (is_end(all_task_state)) count += (*this)[all_task_state];
    return count;
}

task_sets::task_sets(fleet::system_set targets) : targets_(std::move(targets)) {}

void task_sets::note(system_number system, task_state recorded) {
    if (!targets_.contains(system)) return;
    for (const auto all_task_state : all_task_states)
        if (all_task_state != recorded) set_of(all_task_state).remove(system);
    set_of(recorded).add(system);
}

fleet::system_set task_sets::not_started() const {
    auto left = targets_;
    for (const auto all_task_state : all_task_states)
        if (all_task_state != task_state::queued) left -= set_of(all_task_state);
    return left;
}

fleet::system_set task_sets::members(task_state state, job_stage job) const {
    // A record that says "queued" and the lack of one come to the same.
    const auto presumed = state_of(nullptr, job);
    auto match = state == presumed ? not_started() : fleet::system_set();
    if (state != task_state::queued) match |= set_of(state);
    return match;
}

task_counts task_sets::counts(job_stage job) const {
    task_counts counted;
    std::uint64_t started = 0;
    for (const auto all_task_state : all_task_states) {
        if (all_task_state == task_state::queued) continue;
        counted[all_task_state] = set_of(all_task_state).size();
        started += counted[all_task_state];
    }
    MUSTER_ASSERT(started <= targets_.size());
    counted[state_of(nullptr, job)] += targets_.size() - started;
    return counted;
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
