#include "services/fleet/key_events.h"

#include "core/events/event_kind.h"

#include <boost/json.hpp>

#include <algorithm>
#include <utility>

namespace muster::fleet {
namespace {

namespace json = boost::json;

constexpr std::size_t systems_per_message = 1'000;
constexpr std::size_t systems_per_event = 200;

json::object to_json(const system_record& system) {
    return {
        {"fingerprint", system.print.str()},
        {"number", system.number.value()},
        {"name", system.name},
        {"zone", system.zone}};
}

}  // namespace

void publish_key_event(
    cluster::bus_publisher& bus, const key_event& event, std::span<const system_record> systems) {
    for (std::size_t offset = 0; offset < systems.size(); offset += systems_per_message) {
        const auto count = std::min(systems_per_message, systems.size() - offset);
        json::array items;
        for (const auto& system : systems.subspan(offset, count)) items.push_back(to_json(system));
        const json::object payload{{"by", event.by}, {"systems", std::move(items)}};
        const auto& first = systems[offset];
        bus.publish(
            {.subject = "muster.key." + std::string(event.kind),
             .payload = json::serialize(payload),
             .id = first.print.str() + "/" + std::to_string(first.version)});
    }
}

std::vector<event_record> build_key_events(
    const fleet::key_event& key_event, std::span<const system_record> systems, wall_time now) {
    const auto kind = "system." + std::string(key_event.kind);
    std::vector<event_record> records;
    if (std::ranges::find(events::kind::all, kind) == events::kind::all.end()) return records;
    for (std::size_t offset = 0; offset < systems.size(); offset += systems_per_event) {
        const auto part =
            systems.subspan(offset, std::min(systems_per_event, systems.size() - offset));
        json::array items;
        for (const auto& system : part) items.push_back(to_json(system));
        const auto& first = part.front();
        event_record event;
        event.anchor = now;
        event.id = kind + "/" + first.print.str() + "/" + std::to_string(first.version);
        event.kind = kind;
        event.at = now;
        event.zone = first.zone;
        if (part.size() == 1 && first.number) event.system = first.number.value();
        event.actor = key_event.by;
        event.data = json::serialize(json::object{{"systems", std::move(items)}});
        records.push_back(std::move(event));
    }
    return records;
}

}  // namespace muster::fleet
