#include "roles/fleet/key_events.h"

#include <boost/json.hpp>

#include <algorithm>

namespace muster::fleet {
namespace {

namespace json = boost::json;

constexpr std::size_t systems_a_message = 1'000;

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

}  // namespace muster::fleet
