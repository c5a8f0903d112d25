#include "api/rest/event_visibility_filter.h"

#include <boost/json.hpp>

#include <algorithm>
#include <utility>

namespace muster::api {
namespace {

namespace json = boost::json;

std::string zone_in(const json::value& system) {
    const auto* const members = system.if_object();
    const auto* const zone = members == nullptr ? nullptr : members->if_contains("zone");
    return zone != nullptr && zone->is_string() ? json::value_to<std::string>(*zone) : "";
}

}  // namespace

bool event_visibility_filter::sees(std::int64_t system) const {
    if (!zones_) return true;
    const auto zone = systems_->zone_of(system_number(system));
    return zone && holds(*zone);
}

// An event of many systems has the zone of the first.
bool event_visibility_filter::narrow_list(event_record& event) const {
    json::error_code unreadable;
    auto data = json::parse(event.data, unreadable);
    if (unreadable || !data.is_object()) return false;
    auto* const systems = data.get_object().if_contains("systems");
    if (systems == nullptr || !systems->is_array()) return false;
    json::array own;
    for (auto& each : systems->get_array())
        if (holds(zone_in(each))) own.push_back(std::move(each));
    if (own.empty()) return false;
    event.zone = zone_in(own.front());
    *systems = std::move(own);
    event.data = json::serialize(data);
    return true;
}

bool event_visibility_filter::narrow(event_record& event) const {
    if (event.kind.starts_with("system.") && !event.system) return narrow_list(event);
    if (!event.zone.empty() && !holds(event.zone)) return false;
    if (!event.system) return !event.zone.empty();
    // One that left the fleet is where the event says.
    const auto zone = systems_->zone_of(system_number(*event.system));
    return zone ? holds(*zone) : !event.zone.empty();
}

std::vector<events::event_log::item> event_visibility_filter::of(
    std::vector<events::event_log::item> all) const {
    if (zones_) std::erase_if(all, [this](auto& each) { return !narrow(each.event); });
    return all;
}

}  // namespace muster::api
