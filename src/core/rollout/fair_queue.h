#pragma once

#include "core/model/job.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>

namespace muster::rollout {

// Whose turn it is among the jobs that could start a task: a higher priority always goes first;
// within one priority each job starts in proportion to its weight (deficit round robin, a task
// costs one). A job that leaves the round gives up what it had left of its turn, so nobody saves
// up.
class fair_queue {
public:
    // Takes part from now on, behind the others; one that does already stays where it is.
    void enter(job_id job, std::int32_t priority, std::uint32_t weight);
    void leave(job_id job);

    bool empty() const { return rounds_.empty(); }
    // The job whose turn it is. There must be one.
    job_id current() const;
    // The current job started a task.
    void spend();

private:
    struct place {
        std::int32_t priority = 0;
        std::uint32_t weight = 1;
        std::uint32_t left = 0;  // tasks of its turn
    };

    std::map<job_id, place> members_;
    std::map<std::int32_t, std::deque<job_id>, std::greater<>> rounds_;
};

}  // namespace muster::rollout
