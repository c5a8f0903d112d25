#include "services/presence/attached_agents.h"

#include <utility>

namespace muster::presence {

std::optional<attached_agents::connection> attached_agents::attach(
    const attach_event& event, connection connection, std::uint64_t start) {
    const std::lock_guard lock(mutex_);
    detached_since_report_.erase(event.system);
    attached_since_report_.insert(event.system);
    if (starts_.size() >= starts_max) starts_.clear();
    auto& last_start = starts_[event.system];
    if (std::exchange(last_start, start) != start) started_since_report_.insert(event.system);
    const auto [held, is_new] = attached_.try_emplace(event.system, attached{event, connection});
    if (is_new) return std::nullopt;
    const auto before = held->second.connection_id;
    held->second = {event, connection};
    return before;
}

void attached_agents::detach(const detach_event& event, connection connection) {
    const std::lock_guard lock(mutex_);
    const auto held = attached_.find(event.system);
    if (held == attached_.end() || held->second.connection_id != connection) return;
    attached_.erase(held);
    attached_since_report_.erase(event.system);
    detached_since_report_.insert_or_assign(event.system, event);
}

attached_agents::changes attached_agents::take_changes() {
    const std::lock_guard lock(mutex_);
    changes changes;
    for (const auto system : std::exchange(attached_since_report_, {}))
        changes.attach_events.push_back(attached_.at(system).event);
    for (const auto& [system, event] : std::exchange(detached_since_report_, {}))
        changes.detach_events.push_back(event);
    const auto started = std::exchange(started_since_report_, {});
    changes.started.assign(started.begin(), started.end());
    return changes;
}

std::vector<attach_event> attached_agents::all() const {
    const std::lock_guard lock(mutex_);
    std::vector<attach_event> events;
    events.reserve(attached_.size());
    for (const auto& [system, held] : attached_) events.push_back(held.event);
    return events;
}

std::optional<attached_agents::connection> attached_agents::find(system_number system) const {
    const std::lock_guard lock(mutex_);
    const auto held = attached_.find(system);
    if (held == attached_.end()) return std::nullopt;
    return held->second.connection_id;
}

std::size_t attached_agents::size() const {
    const std::lock_guard lock(mutex_);
    return attached_.size();
}

}  // namespace muster::presence
