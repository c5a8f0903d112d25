#pragma once

#include "base/time.h"
#include "core/session/agent_task.h"

#include <algorithm>
#include <cstddef>
#include <map>

namespace muster::session {

// Whose output an agent's node wants to see. Each want is a lease: a node that says it no more, for
// whatever reason, is shown nothing for longer than that.
class output_wants {
public:
    static constexpr std::size_t wants_max = 16;
    static constexpr monotonic::duration lease_max = std::chrono::seconds(60);

    // A task without an attempt means whichever the job has. False: too many are wanted already.
    bool want(task_name which, monotonic::duration lease, instant now) {
        std::erase_if(until_, [now](const auto& each) { return each.second <= now; });
        if (until_.size() >= wants_max && !until_.contains(which)) return false;
        const bool named = lease > monotonic::duration::zero();
        until_[which] = now + (named ? std::min(lease, lease_max) : lease_max);
        return true;
    }
    void stop(task_name which) { until_.erase(which); }
    void stop_all() { until_.clear(); }

    bool any(instant now) const {
        return std::ranges::any_of(until_, [now](const auto& each) { return now < each.second; });
    }
    bool wanted(task_name task, instant now) const {
        return stands(task, now) || stands({.job = task.job, .attempt = 0}, now);
    }

private:
    bool stands(task_name which, instant now) const {
        const auto found = until_.find(which);
        return found != until_.end() && now < found->second;
    }

    std::map<task_name, instant> until_;
};

}  // namespace muster::session
