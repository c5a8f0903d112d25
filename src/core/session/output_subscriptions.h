#pragma once

#include "base/time.h"
#include "core/session/agent_task.h"

#include <algorithm>
#include <cstddef>
#include <map>

namespace muster::session {

// The tasks whose output an agent sends to its node. Each subscription is a lease, so the agent
// stops sending if the node does not renew it. Not thread-safe.
class output_subscriptions {
public:
    static constexpr std::size_t subscriptions_max = 16;
    static constexpr monotonic::duration lease_max = std::chrono::seconds(60);

    // Attempt zero means any attempt of the job. False if there are too many subscriptions.
    bool subscribe(task_name task, monotonic::duration lease, instant now) {
        std::erase_if(expiry_, [now](const auto& entry) { return entry.second <= now; });
        if (expiry_.size() >= subscriptions_max && !expiry_.contains(task)) return false;
        const bool has_lease = lease > monotonic::duration::zero();
        expiry_[task] = now + (has_lease ? std::min(lease, lease_max) : lease_max);
        return true;
    }
    void unsubscribe(task_name task) { expiry_.erase(task); }
    void clear() { expiry_.clear(); }

    bool any_active(instant now) const {
        return std::ranges::any_of(
            expiry_, [now](const auto& entry) { return now < entry.second; });
    }
    bool is_subscribed(task_name task, instant now) const {
        return is_active(task, now) || is_active({.job = task.job, .attempt = 0}, now);
    }

private:
    bool is_active(task_name task, instant now) const {
        const auto it = expiry_.find(task);
        return it != expiry_.end() && now < it->second;
    }

    std::map<task_name, instant> expiry_;
};

}  // namespace muster::session
