#include "api/rest/event_visibility_filter.h"

#include <boost/json.hpp>

#include <algorithm>
#include <utility>

namespace muster::api {
namespace {

namespace json = boost::json;

std::string read_zone(const json::value& system) {
    const auto* const members = system.if_object();
    const auto* const zone = members == nullptr ? nullptr : members->if_contains("zone");
    return zone != nullptr && zone->is_string() ? json::value_to<std::string>(*zone) : "";
}

}  // namespace

bool event_visibility_filter::is_visible(std::int64_t system) const {
    if (!zones_) return true;
    const auto zone = systems_->zone_of(system_number(system));
    return zone && has_zone(*zone);
}

// An event of many systems gets the zone of the first visible system.
bool event_visibility_filter::narrow_list(event_record& event) const {
    json::error_code unreadable;
    auto data = json::parse(event.data, unreadable);
    if (unreadable || !data.is_object()) return false;
    auto* const systems = data.get_object().if_contains("systems");
    if (systems == nullptr || !systems->is_array()) return false;
    json::array visible;
    for (auto& system : systems->get_array())
        if (has_zone(read_zone(system))) visible.push_back(std::move(system));
    if (visible.empty()) return false;
    event.zone = read_zone(visible.front());
    *systems = std::move(visible);
    event.data = json::serialize(data);
    return true;
}

bool event_visibility_filter::narrow(event_record& event) const {
    if (event.kind.starts_with("system.") && !event.system) return narrow_list(event);
    if (!event.zone.empty() && !has_zone(event.zone)) return false;
    if (!event.system) return !event.zone.empty();
    // For a deleted system, the zone of the event counts.
    const auto zone = systems_->zone_of(system_number(*event.system));
    return zone ? has_zone(*zone) : !event.zone.empty();
}

std::vector<events::event_log::item> event_visibility_filter::filter(
    std::vector<events::event_log::item> events) const {
    if (zones_) std::erase_if(events, [this](auto& item) { return !narrow(item.event); });
    return events;
}

}  // namespace muster::api
