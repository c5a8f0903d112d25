#include "services/events/event_json.h"

#include "base/iso_time.h"

#include <boost/json.hpp>

namespace muster::events {

namespace json = boost::json;

json::object event_json(const event_log::item& item, const system_names& names) {
    const auto& event = item.event;
    json::object json_event{
        {"cursor", to_string(item.at)},
        {"at", iso_time(event.at)},
        {"kind", event.kind},
        {"id", event.id}};
    const auto add = [&json_event](const char* name, const std::string& text) {
        if (!text.empty()) json_event[name] = text;
    };
    if (event.job) json_event["job"] = to_string(*event.job);
    if (event.system) {
        json_event["system"] = *event.system;
        add("name", names.name_of(system_number(*event.system)));
    }
    add("node", event.node);
    add("zone", event.zone);
    add("by", event.actor);
    json::error_code unreadable;
    auto data = json::parse(event.data.empty() ? "{}" : event.data, unreadable);
    json_event["data"] = unreadable ? json::value(json::object()) : std::move(data);
    return json_event;
}

}  // namespace muster::events
