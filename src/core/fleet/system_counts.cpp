#include "core/fleet/system_counts.h"

#include "base/assert.h"

#include <algorithm>

namespace muster::fleet {
namespace {

auto place_of(std::vector<std::pair<std::uint16_t, std::uint32_t>>& slots, slot where) {
    const auto number = static_cast<std::uint16_t>(where.number());
    return std::ranges::lower_bound(
        slots, number, std::less(), [](const auto& each) { return each.first; });
}

}  // namespace

void system_counts::add(enrolment stage, const std::string& zone, slot where) {
    ++stages_.at(static_cast<std::size_t>(stage));
    if (stage != enrolment::accepted) return;
    auto& counted = zones_[zone];
    ++counted.systems;
    auto place = place_of(counted.slots, where);
    const auto number = static_cast<std::uint16_t>(where.number());
    if (place == counted.slots.end() || place->first != number)
        place = counted.slots.emplace(place, number, 0);
    ++place->second;
}

void system_counts::remove(enrolment stage, const std::string& zone, slot where) {
    auto& staged = stages_.at(static_cast<std::size_t>(stage));
    MUSTER_ASSERT(staged > 0);
    --staged;
    if (stage != enrolment::accepted) return;
    const auto counted = zones_.find(zone);
    MUSTER_ASSERT(counted != zones_.end());
    const auto place = place_of(counted->second.slots, where);
    MUSTER_ASSERT(place != counted->second.slots.end() && place->second > 0);
    if (--place->second == 0) counted->second.slots.erase(place);
    if (--counted->second.systems == 0) zones_.erase(counted);
}

std::size_t system_counts::count(enrolment stage) const {
    return stages_.at(static_cast<std::size_t>(stage));
}

std::size_t system_counts::accepted_in(std::string_view zone) const {
    const auto it = zones_.find(zone);
    return it == zones_.end() ? 0 : it->second.systems;
}

std::map<std::string, std::size_t, std::less<>> system_counts::accepted_by_zone() const {
    std::map<std::string, std::size_t, std::less<>> counts;
    for (const auto& [zone, counted] : zones_) counts.emplace(zone, counted.systems);
    return counts;
}

slot_population system_counts::population(std::string_view zone) const {
    slot_population all{};
    const auto it = zones_.find(zone);
    if (it == zones_.end()) return all;
    for (const auto& [number, systems] : it->second.slots) all.at(number) = systems;
    return all;
}

}  // namespace muster::fleet
