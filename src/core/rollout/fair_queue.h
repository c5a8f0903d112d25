#pragma once

#include "core/model/job.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>

namespace muster::rollout {

// Orders the jobs that can start a task. A higher priority always goes first. Jobs of one priority
// start tasks in proportion to their weights (deficit round robin; a task costs one). A job that
// is removed loses the rest of its turn, so no job accumulates credit. Not thread-safe.
class fair_queue {
public:
    // Appends the job. A job that is in the queue keeps its position.
    void add(job_id job, std::int32_t priority, std::uint32_t weight);
    void remove(job_id job);

    bool empty() const { return rounds_.empty(); }
    // The job whose turn it is. Requires !empty().
    job_id current() const;
    // Charges one started task to the current job.
    void spend();

private:
    struct turn {
        std::int32_t priority = 0;
        std::uint32_t weight = 1;
        std::uint32_t remaining = 0;  // tasks of this turn
    };

    std::map<job_id, turn> members_;
    std::map<std::int32_t, std::deque<job_id>, std::greater<>> rounds_;
};

}  // namespace muster::rollout
