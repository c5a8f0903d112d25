#include "api/rest/event_sight.h"

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

bool event_sight::sees(std::int64_t system) const {
    if (!zones_) return true;
    const auto zone = where_(system);
    return zone && holds(*zone);
}

// An event of many systems has the zone of the first.
bool event_sight::narrow_list(event_record& what) const {
    json::error_code unreadable;
    auto data = json::parse(what.data, unreadable);
    if (unreadable || !data.is_object()) return false;
    auto* const systems = data.get_object().if_contains("systems");
    if (systems == nullptr || !systems->is_array()) return false;
    json::array own;
    for (auto& each : systems->get_array())
        if (holds(zone_in(each))) own.push_back(std::move(each));
    if (own.empty()) return false;
    what.zone = zone_in(own.front());
    *systems = std::move(own);
    what.data = json::serialize(data);
    return true;
}

bool event_sight::narrow(event_record& what) const {
    if (what.kind.starts_with("system.") && !what.system) return narrow_list(what);
    if (!what.zone.empty() && !holds(what.zone)) return false;
    if (!what.system) return !what.zone.empty();
    // One that left the fleet is where the event says.
    const auto zone = where_(*what.system);
    return zone ? holds(*zone) : !what.zone.empty();
}

std::vector<events::event_log::item> event_sight::of(
    std::vector<events::event_log::item> all) const {
    if (zones_) std::erase_if(all, [this](auto& each) { return !narrow(each.event); });
    return all;
}

}  // namespace muster::api
