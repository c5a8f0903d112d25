#include "core/rollout/fair_queue.h"

#include "base/assert.h"

#include <algorithm>

namespace muster::rollout {

void fair_queue::add(job_id job, std::int32_t priority, std::uint32_t weight) {
    const std::uint32_t tasks_per_turn = std::max<std::uint32_t>(weight, 1);
    const auto added = members_.emplace(job, turn{priority, tasks_per_turn, tasks_per_turn}).second;
    if (added) rounds_[priority].push_back(job);
}

void fair_queue::remove(job_id job) {
    const auto it = members_.find(job);
    if (it == members_.end()) return;
    const auto round = rounds_.find(it->second.priority);
    MUSTER_ASSERT(round != rounds_.end());
    if (round->second.front() == job)
        round->second.pop_front();
    else
        std::erase(round->second, job);
    if (round->second.empty()) rounds_.erase(round);
    members_.erase(it);
}

job_id fair_queue::current() const {
    MUSTER_ASSERT(!rounds_.empty());
    return rounds_.begin()->second.front();
}

void fair_queue::spend() {
    auto& round = rounds_.begin()->second;
    turn& current = members_.at(round.front());
    if (--current.remaining > 0) return;
    current.remaining = current.weight;
    round.push_back(round.front());
    round.pop_front();
}

}  // namespace muster::rollout
