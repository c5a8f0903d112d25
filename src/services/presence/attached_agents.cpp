#include "services/presence/attached_agents.h"

#include <utility>

namespace muster::presence {

std::optional<attached_agents::channel> attached_agents::arrive(
    const arrival& arrival, channel by, std::uint64_t start) {
    const std::lock_guard lock(guard_);
    left_.erase(arrival.system);
    came_.insert(arrival.system);
    if (starts_.size() >= starts_max) starts_.clear();
    auto& known_start = starts_[arrival.system];
    if (std::exchange(known_start, start) != start) started_.insert(arrival.system);
    const auto [held, is_new] = attached_.try_emplace(arrival.system, attached{arrival, by});
    if (is_new) return std::nullopt;
    const auto before = held->second.by;
    held->second = {arrival, by};
    return before;
}

void attached_agents::depart(const departure& departure, channel by) {
    const std::lock_guard lock(guard_);
    const auto held = attached_.find(departure.system);
    if (held == attached_.end() || held->second.by != by) return;
    attached_.erase(held);
    came_.erase(departure.system);
    left_.insert_or_assign(departure.system, departure);
}

attached_agents::changes attached_agents::take_changes() {
    const std::lock_guard lock(guard_);
    changes changes;
    for (const auto system : std::exchange(came_, {}))
        changes.arrivals.push_back(attached_.at(system).who);
    for (const auto& [system, left] : std::exchange(left_, {})) changes.departures.push_back(left);
    const auto started = std::exchange(started_, {});
    changes.started.assign(started.begin(), started.end());
    return changes;
}

std::vector<arrival> attached_agents::all() const {
    const std::lock_guard lock(guard_);
    std::vector<arrival> everybody;
    everybody.reserve(attached_.size());
    for (const auto& [system, held] : attached_) everybody.push_back(held.who);
    return everybody;
}

std::optional<attached_agents::channel> attached_agents::find(system_number system_number) const {
    const std::lock_guard lock(guard_);
    const auto held = attached_.find(system_number);
    if (held == attached_.end()) return std::nullopt;
    return held->second.by;
}

std::size_t attached_agents::size() const {
    const std::lock_guard lock(guard_);
    return attached_.size();
}

}  // namespace muster::presence
