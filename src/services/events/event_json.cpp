#include "services/events/event_json.h"

#include "base/iso_time.h"

#include <boost/json.hpp>

namespace muster::events {

namespace json = boost::json;

json::object event_json(const event_log::item& item, const system_names& names) {
    const auto& event = item.event;
    json::object response{
        {"cursor", to_string(item.at)},
        {"at", iso_time(event.at)},
        {"kind", event.kind},
        {"id", event.id}};
    const auto add = [&response](const char* name, const std::string& text) {
        if (!text.empty()) response[name] = text;
    };
    if (event.job) response["job"] = to_string(*event.job);
    if (event.system) {
        response["system"] = *event.system;
        add("name", names.name_of(system_number(*event.system)));
    }
    add("node", event.node);
    add("zone", event.zone);
    add("by", event.by);
    json::error_code unreadable;
    auto data = json::parse(event.data.empty() ? "{}" : event.data, unreadable);
    response["data"] = unreadable ? json::value(json::object()) : std::move(data);
    return response;
}

}  // namespace muster::events
