#include "services/fleet/key_events.h"

#include "core/events/event_kind.h"

#include <boost/json.hpp>

#include <algorithm>
#include <utility>

namespace muster::fleet {
namespace {

namespace json = boost::json;

constexpr std::size_t systems_a_message = 1'000;
constexpr std::size_t systems_an_event = 200;

json::object told(const system_record& system) {
    return {
        {"fingerprint", system.print.str()},
        {"number", system.number.value()},
        {"name", system.name},
        {"zone", system.zone}};
}

}  // namespace

void announce(
    cluster::bus_publisher& bus,
    const key_event& happened,
    std::span<const system_record> systems) {
    for (std::size_t at = 0; at < systems.size(); at += systems_a_message) {
        const auto count = std::min(systems_a_message, systems.size() - at);
        json::array items;
        for (const auto& each : systems.subspan(at, count)) items.push_back(told(each));
        const json::object payload{{"by", happened.by}, {"systems", std::move(items)}};
        const auto& first = systems[at];
        bus.announce(
            {.subject = "muster.key." + std::string(happened.what),
             .payload = json::serialize(payload),
             .id = first.print.str() + "/" + std::to_string(first.version)});
    }
}

std::vector<event_record> notices_of(
    const key_event& happened, std::span<const system_record> systems, wall_time now) {
    const auto kind = "system." + std::string(happened.what);
    std::vector<event_record> result;
    if (std::ranges::find(events::kind::all, kind) == events::kind::all.end()) return result;
    for (std::size_t at = 0; at < systems.size(); at += systems_an_event) {
        const auto part = systems.subspan(at, std::min(systems_an_event, systems.size() - at));
        json::array items;
        for (const auto& each : part) items.push_back(told(each));
        const auto& first = part.front();
        event_record event;
        event.anchor = now;
        event.id = kind + "/" + first.print.str() + "/" + std::to_string(first.version);
        event.kind = kind;
        event.at = now;
        event.zone = first.zone;
        if (part.size() == 1 && first.number) event.system = first.number.value();
        event.by = happened.by;
        event.data = json::serialize(json::object{{"systems", std::move(items)}});
        result.push_back(std::move(event));
    }
    return result;
}

}  // namespace muster::fleet
