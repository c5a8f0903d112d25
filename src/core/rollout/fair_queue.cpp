#include "core/rollout/fair_queue.h"

#include "base/assert.h"

#include <algorithm>

namespace muster::rollout {

void fair_queue::enter(job_id job, std::int32_t priority, std::uint32_t weight) {
    const std::uint32_t at_least_one = std::max<std::uint32_t>(weight, 1);
    const auto fresh = members_.emplace(job, place{priority, at_least_one, at_least_one}).second;
    if (fresh) rounds_[priority].push_back(job);
}

void fair_queue::leave(job_id job) {
    const auto at = members_.find(job);
    if (at == members_.end()) return;
    const auto round = rounds_.find(at->second.priority);
    MUSTER_ASSERT(round != rounds_.end());
    if (round->second.front() == job)
        round->second.pop_front();
    else
        std::erase(round->second, job);
    if (round->second.empty()) rounds_.erase(round);
    members_.erase(at);
}

job_id fair_queue::current() const {
    MUSTER_ASSERT(!rounds_.empty());
    return rounds_.begin()->second.front();
}

void fair_queue::spend() {
    auto& line = rounds_.begin()->second;
    place& spender = members_.at(line.front());
    if (--spender.left > 0) return;
    spender.left = spender.weight;
    line.push_back(line.front());
    line.pop_front();
}

}  // namespace muster::rollout
