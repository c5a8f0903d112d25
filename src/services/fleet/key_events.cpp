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

json::object told(const system_record& each) {
    return {
        {"fingerprint", each.print.str()},
        {"number", each.number.value()},
        {"name", each.name},
        {"zone", each.zone}};
}

}  // namespace

void announce(
    cluster::announcer& bell, const key_event& happened, std::span<const system_record> systems) {
    for (std::size_t at = 0; at < systems.size(); at += systems_a_message) {
        const auto count = std::min(systems_a_message, systems.size() - at);
        json::array items;
        for (const auto& each : systems.subspan(at, count)) items.push_back(told(each));
        const json::object payload{{"by", happened.by}, {"systems", std::move(items)}};
        const auto& first = systems[at];
        bell.announce(
            {.subject = "muster.key." + std::string(happened.what),
             .payload = json::serialize(payload),
             .id = first.print.str() + "/" + std::to_string(first.version)});
    }
}

std::vector<event_record> notices_of(
    const key_event& happened, std::span<const system_record> systems, wall_time now) {
    const auto kind = "system." + std::string(happened.what);
    std::vector<event_record> made;
    if (std::ranges::find(events::kind::all, kind) == events::kind::all.end()) return made;
    for (std::size_t at = 0; at < systems.size(); at += systems_an_event) {
        const auto part = systems.subspan(at, std::min(systems_an_event, systems.size() - at));
        json::array items;
        for (const auto& each : part) items.push_back(told(each));
        const auto& first = part.front();
        event_record one;
        one.anchor = now;
        one.id = kind + "/" + first.print.str() + "/" + std::to_string(first.version);
        one.kind = kind;
        one.at = now;
        one.zone = first.zone;
        if (part.size() == 1 && first.number) one.system = first.number.value();
        one.by = happened.by;
        one.data = json::serialize(json::object{{"systems", std::move(items)}});
        made.push_back(std::move(one));
    }
    return made;
}

}  // namespace muster::fleet
