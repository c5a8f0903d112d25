#include "services/events/event_json.h"

#include "base/iso_time.h"

#include <boost/json.hpp>

namespace muster::events {

namespace json = boost::json;

json::object event_json(const event_log::item& what, const system_names& names) {
    const auto& event = what.event;
    json::object told{
        {"cursor", to_string(what.at)},
        {"at", iso_time(event.at)},
        {"kind", event.kind},
        {"id", event.id}};
    const auto add = [&told](const char* name, const std::string& text) {
        if (!text.empty()) told[name] = text;
    };
    if (event.job) told["job"] = to_string(*event.job);
    if (event.system) {
        told["system"] = *event.system;
        add("name", names(*event.system));
    }
    add("node", event.node);
    add("zone", event.zone);
    add("by", event.by);
    json::error_code unreadable;
    auto data = json::parse(event.data.empty() ? "{}" : event.data, unreadable);
    told["data"] = unreadable ? json::value(json::object()) : std::move(data);
    return told;
}

}  // namespace muster::events
