#include "services/presence/attendance.h"

#include <utility>

namespace muster::presence {

std::optional<attendance::channel> attendance::arrive(
    const arrival& who, channel by, std::uint64_t start) {
    const std::lock_guard lock(guard_);
    left_.erase(who.system);
    came_.insert(who.system);
    if (starts_.size() >= starts_max) starts_.clear();
    auto& known_start = starts_[who.system];
    if (std::exchange(known_start, start) != start) started_.insert(who.system);
    const auto [held, is_new] = attached_.try_emplace(who.system, attached{who, by});
    if (is_new) return std::nullopt;
    const auto before = held->second.by;
    held->second = {who, by};
    return before;
}

void attendance::depart(const departure& who, channel by) {
    const std::lock_guard lock(guard_);
    const auto held = attached_.find(who.system);
    if (held == attached_.end() || held->second.by != by) return;
    attached_.erase(held);
    came_.erase(who.system);
    left_.insert_or_assign(who.system, who);
}

attendance::changes attendance::take_changes() {
    const std::lock_guard lock(guard_);
    changes taken;
    for (const auto system : std::exchange(came_, {}))
        taken.arrivals.push_back(attached_.at(system).who);
    for (const auto& [system, left] : std::exchange(left_, {})) taken.departures.push_back(left);
    const auto started = std::exchange(started_, {});
    taken.started.assign(started.begin(), started.end());
    return taken;
}

std::vector<arrival> attendance::all() const {
    const std::lock_guard lock(guard_);
    std::vector<arrival> everybody;
    everybody.reserve(attached_.size());
    for (const auto& [system, held] : attached_) everybody.push_back(held.who);
    return everybody;
}

std::optional<attendance::channel> attendance::find(system_number which) const {
    const std::lock_guard lock(guard_);
    const auto held = attached_.find(which);
    if (held == attached_.end()) return std::nullopt;
    return held->second.by;
}

std::size_t attendance::size() const {
    const std::lock_guard lock(guard_);
    return attached_.size();
}

}  // namespace muster::presence
