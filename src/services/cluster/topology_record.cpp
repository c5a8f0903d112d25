#include "services/cluster/topology_record.h"

#include "runtime/json/record_reader.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace muster::cluster {
namespace {

namespace json = boost::json;

constexpr std::size_t zone_name_bytes_max = 63;
constexpr std::size_t node_name_bytes_max = 128;

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

result<void> check_node_name(std::string_view name) {
    const bool right = !name.empty() && name.size() <= node_name_bytes_max
                       && is_letter_or_digit(name.front())
                       && std::ranges::all_of(
                           name, [](char letter) { return may_follow(letter) || letter == '.'; });
    if (right) return {};
    return fail(
        errc::invalid,
        fmt::format(
            "a node's name is 1 to {} letters, digits, '.', '-' and '_', and starts with a letter "
            "or digit",
            node_name_bytes_max));
}

std::string encode(const zone_record& zone) {
    return json::serialize(json::object{
        {"name", zone.name},
        {"description", zone.description},
        {"parent", zone.parent},
        {"disaster_timeout", static_cast<std::int64_t>(zone.disaster_timeout.count())},
        {"made", runtime::stored_time(zone.made)},
        {"tasks_max", zone.tasks_max}});
}

std::string encode(const node_record& node) {
    return json::serialize(json::object{
        {"number", node.number.value()},
        {"name", node.name},
        {"instance", node.instance},
        {"address", node.address},
        {"zone", node.zone},
        {"state", membership::to_string(node.state)},
        {"reason", node.reason},
        {"since", runtime::stored_time(node.since)},
        {"wiped", node.wiped},
        {"leaving", node.leaving},
        {"systems_max", node.systems_max}});
}

std::string encode(const hold_record& hold) {
    return json::serialize(json::object{
        {"missing", hold.missing},
        {"members", hold.members},
        {"since", runtime::stored_time(hold.since)}});
}

result<zone_record> decode_zone(std::string_view text) {
    TRY(auto all, runtime::json_record_reader::of("zone", text));
    zone_record read{
        .name = all.text("name"),
        .description = all.text("description"),
        .parent = all.text("parent"),
        .disaster_timeout = std::chrono::seconds(all.integer("disaster_timeout")),
        .made = all.time("made")};
    if (all.has("tasks_max")) read.tasks_max = all.integer("tasks_max");
    return all.finish(std::move(read));
}

result<node_record> decode_node(std::string_view text) {
    TRY(auto all, runtime::json_record_reader::of("node", text));
    node_record read{
        .number = node_number(all.integer("number")),
        .name = all.text("name"),
        .instance = all.text("instance"),
        .address = all.text("address"),
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

result<hold_record> decode_hold(std::string_view text) {
    TRY(auto all, runtime::json_record_reader::of("hold", text));
    const hold_record read{
        .missing = all.integer("missing"),
        .members = all.integer("members"),
        .since = all.time("since")};
    return all.finish(read);
}

std::string encode(placement::epoch epoch) {
    return std::to_string(epoch.value());
}

result<placement::epoch> decode_epoch(std::string_view text) {
    std::int64_t number = 0;
    const auto* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, number);
    if (read.ec != std::errc() || read.ptr != end || number < 0)
        return fail(errc::corrupt, "the epoch of a slot table is not a number");
    return placement::epoch(number);
}

}  // namespace muster::cluster
