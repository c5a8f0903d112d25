#pragma once

#include "base/time.h"
#include "core/session/agent_task.h"

#include <algorithm>
#include <cstddef>
#include <map>

namespace muster::session {

// Whose output an agent's node wants to see. Each want is a lease: a node that says it no more, for
// whatever reason, is shown nothing for longer than that.
class output_subscriptions {
public:
    static constexpr std::size_t wants_max = 16;
    static constexpr monotonic::duration lease_max = std::chrono::seconds(60);

    // A task without an attempt means whichever the job has. False: too many are wanted already.
    bool want(task_name task_name, monotonic::duration lease, instant now) {
        std::erase_if(until_, [now](const auto& each) { return each.second <= now; });
        if (until_.size() >= wants_max && !until_.contains(task_name)) return false;
        const bool named = lease > monotonic::duration::zero();
        until_[task_name] = now + (named ? std::min(lease, lease_max) : lease_max);
        return true;
    }
    void stop(task_name task_name) { until_.erase(task_name); }
    void stop_all() { until_.clear(); }

    bool any(instant now) const {
        return std::ranges::any_of(until_, [now](const auto& each) { return now < each.second; });
    }
    bool wanted(task_name task, instant now) const {
        return stands(task, now) || stands({.job = task.job, .attempt = 0}, now);
    }

private:
    bool stands(task_name task_name, instant now) const {
        const auto it = until_.find(task_name);
        return it != until_.end() && now < it->second;
    }

    std::map<task_name, instant> until_;
};

}  // namespace muster::session
