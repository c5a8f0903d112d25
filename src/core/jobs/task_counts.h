#pragma once

#include "core/fleet/system_set.h"
#include "core/model/job.h"

#include <array>
#include <cstdint>

namespace muster::jobs {

inline constexpr std::array all_task_states{
    task_state::queued,
    task_state::picked_up,
    task_state::completed,
    task_state::failed,
    task_state::cancelled,
    task_state::expired};

// The number of tasks of a job by state.
struct task_counts {
    std::array<std::uint64_t, all_task_states.size()> by_state{};

    std::uint64_t& operator[](task_state state) {
        return by_state.at(static_cast<std::size_t>(state));
    }
    std::uint64_t operator[](task_state state) const {
        return by_state.at(static_cast<std::size_t>(state));
    }
    std::uint64_t sum() const;
    std::uint64_t ended() const;

    friend bool operator==(const task_counts&, const task_counts&) = default;
};

// The systems of a job by recorded task state. A system without a record is queued, or has the
// state that the end of the job implies. So the counts always add up to the number of targets.
class task_sets {
public:
    explicit task_sets(fleet::system_set targets);

    // Sets the latest recorded state. Ignores systems that are no targets.
    void set_state(system_number system, task_state recorded);

    const fleet::system_set& targets() const { return targets_; }
    // The systems that count as `state` while the job is in stage `job`.
    fleet::system_set members(task_state state, job_stage job) const;
    task_counts counts(job_stage job) const;
    // Number of tasks with a record.
    std::uint64_t recorded() const;
    std::size_t memory() const;

private:
    fleet::system_set& set_of(task_state recorded) {
        return sets_.at(static_cast<std::size_t>(recorded));
    }
    const fleet::system_set& set_of(task_state recorded) const {
        return sets_.at(static_cast<std::size_t>(recorded));
    }
    // Without a record, or waiting for another attempt.
    fleet::system_set not_started() const;

    fleet::system_set targets_;
    std::array<fleet::system_set, all_task_states.size()> sets_;
};

}  // namespace muster::jobs
