#include "roles/cluster/topology_record.h"

#include "roles/cluster/json_members.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace muster::cluster {
namespace {

namespace json = boost::json;

constexpr std::size_t zone_name_bytes_max = 63;

bool is_letter_or_digit(char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z')
           || (letter >= '0' && letter <= '9');
}

bool may_follow(char letter) {
    return is_letter_or_digit(letter) || letter == '-' || letter == '_';
}

}  // namespace

result<void> check_zone_name(std::string_view name) {
    const bool right = !name.empty() && name.size() <= zone_name_bytes_max
                       && is_letter_or_digit(name.front()) && std::ranges::all_of(name, may_follow);
    if (right) return {};
    return fail(
        errc::invalid,
        fmt::format(
            "a zone's name is 1 to {} letters, digits, '-' and '_', and starts with a letter or "
            "digit",
            zone_name_bytes_max));
}

std::string encode(const zone_record& what) {
    return json::serialize(json::object{
        {"name", what.name},
        {"description", what.description},
        {"parent", what.parent},
        {"disaster_timeout", static_cast<std::int64_t>(what.disaster_timeout.count())},
        {"made", stored_time(what.made)}});
}

std::string encode(const node_record& what) {
    return json::serialize(json::object{
        {"number", what.number.value()},
        {"name", what.name},
        {"instance", what.instance},
        {"zone", what.zone},
        {"state", membership::to_string(what.state)},
        {"reason", what.reason},
        {"since", stored_time(what.since)},
        {"wiped", what.wiped},
        {"leaving", what.leaving},
        {"systems_max", what.systems_max}});
}

result<zone_record> decode_zone(std::string_view text) {
    TRY(auto all, json_members::of("zone", text));
    zone_record read{
        .name = all.text("name"),
        .description = all.text("description"),
        .parent = all.text("parent"),
        .disaster_timeout = std::chrono::seconds(all.integer("disaster_timeout")),
        .made = all.time("made")};
    return all.finish(std::move(read));
}

result<node_record> decode_node(std::string_view text) {
    TRY(auto all, json_members::of("node", text));
    node_record read{
        .number = node_number(all.integer("number")),
        .name = all.text("name"),
        .instance = all.text("instance"),
        .zone = all.text("zone"),
        .reason = all.text("reason"),
        .since = all.time("since"),
        .wiped = all.boolean("wiped"),
        .leaving = all.boolean("leaving"),
        .systems_max = all.integer("systems_max")};
    const auto state = membership::parse_node_state(all.text("state"));
    if (!state) all.mark_wrong("state");
    read.state = state.value_or(membership::node_state::pooled);
    return all.finish(std::move(read));
}

}  // namespace muster::cluster
