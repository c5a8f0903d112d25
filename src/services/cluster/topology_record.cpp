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

bool is_name_character(char letter) {
    return is_letter_or_digit(letter) || letter == '-' || letter == '_';
}

}  // namespace

result<void> check_zone_name(std::string_view name) {
    const bool valid = !name.empty() && name.size() <= zone_name_bytes_max
                       && is_letter_or_digit(name.front())
                       && std::ranges::all_of(name, is_name_character);
    if (valid) return {};
    return fail(
        errc::invalid,
        fmt::format(
            "zone name must be 1 to {} letters, digits, '-' and '_', and start with a letter or "
            "digit",
            zone_name_bytes_max));
}

result<void> check_node_name(std::string_view name) {
    const bool valid =
        !name.empty() && name.size() <= node_name_bytes_max && is_letter_or_digit(name.front())
        && std::ranges::all_of(
            name, [](char letter) { return is_name_character(letter) || letter == '.'; });
    if (valid) return {};
    return fail(
        errc::invalid,
        fmt::format(
            "node name must be 1 to {} letters, digits, '.', '-' and '_', and start with a letter "
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

std::string encode(const zone_freeze_record& freeze) {
    return json::serialize(json::object{
        {"missing", freeze.missing},
        {"members", freeze.members},
        {"since", runtime::stored_time(freeze.since)}});
}

result<zone_record> decode_zone(std::string_view text) {
    TRY(auto reader, runtime::json_record_reader::parse("zone", text));
    zone_record record{
        .name = reader.text("name"),
        .description = reader.text("description"),
        .parent = reader.text("parent"),
        .disaster_timeout = std::chrono::seconds(reader.integer("disaster_timeout")),
        .made = reader.time("made")};
    if (reader.has("tasks_max")) record.tasks_max = reader.integer("tasks_max");
    return reader.finish(std::move(record));
}

result<node_record> decode_node(std::string_view text) {
    TRY(auto reader, runtime::json_record_reader::parse("node", text));
    node_record record{
        .number = node_number(reader.integer("number")),
        .name = reader.text("name"),
        .instance = reader.text("instance"),
        .address = reader.text("address"),
        .zone = reader.text("zone"),
        .reason = reader.text("reason"),
        .since = reader.time("since"),
        .wiped = reader.boolean("wiped"),
        .leaving = reader.boolean("leaving"),
        .systems_max = reader.integer("systems_max")};
    const auto state = membership::parse_node_state(reader.text("state"));
    if (!state) reader.mark_wrong("state");
    record.state = state.value_or(membership::node_state::pooled);
    return reader.finish(std::move(record));
}

result<zone_freeze_record> decode_zone_freeze(std::string_view text) {
    TRY(auto reader, runtime::json_record_reader::parse("hold", text));
    const zone_freeze_record record{
        .missing = reader.integer("missing"),
        .members = reader.integer("members"),
        .since = reader.time("since")};
    return reader.finish(record);
}

std::string encode(placement::epoch epoch) {
    return std::to_string(epoch.value());
}

result<placement::epoch> decode_epoch(std::string_view text) {
    std::int64_t number = 0;
    const auto* const end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, number);
    if (parsed.ec != std::errc() || parsed.ptr != end || number < 0)
        return fail(errc::corrupt, "slot table epoch is not a number");
    return placement::epoch(number);
}

}  // namespace muster::cluster
