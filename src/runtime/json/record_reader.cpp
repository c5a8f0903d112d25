#include "runtime/json/record_reader.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <chrono>

namespace muster::runtime {
namespace {

namespace json = boost::json;

json::string_view view(std::string_view text) {
    return {text.data(), text.size()};
}

wall_time to_wall_time(std::int64_t microseconds) {
    return wall_time(std::chrono::microseconds(microseconds));
}

}  // namespace

result<json_record_reader> json_record_reader::parse(std::string_view kind, std::string_view text) {
    json::error_code failure;
    auto parsed = json::parse(view(text), failure);
    if (failure) parsed = nullptr;
    return from_value(kind, std::move(parsed));
}

result<json_record_reader> json_record_reader::from_value(
    std::string_view kind, json::value value) {
    if (!value.is_object())
        return fail(errc::corrupt, fmt::format("{} record is not a JSON object", kind));
    return json_record_reader(kind, std::move(value.get_object()));
}

const json::value* json_record_reader::find(std::string_view name) const {
    return members_.if_contains(view(name));
}

const json::array* json_record_reader::find_array(std::string_view name) const {
    const auto* const member = find(name);
    return member == nullptr ? nullptr : member->if_array();
}

void json_record_reader::mark_wrong(std::string_view name) {
    if (wrong_member_.empty()) wrong_member_ = name;
}

std::string json_record_reader::text(std::string_view name) {
    const auto* const member = find(name);
    if (member == nullptr || !member->is_string()) mark_wrong(name);
    return text_or_empty(name);
}

std::int64_t json_record_reader::integer(std::string_view name) {
    const auto* const member = find(name);
    if (member == nullptr || !member->is_int64()) mark_wrong(name);
    return integer_or_zero(name);
}

bool json_record_reader::boolean(std::string_view name) {
    const auto* const member = find(name);
    if (member == nullptr || !member->is_bool()) mark_wrong(name);
    return boolean_or_false(name);
}

wall_time json_record_reader::time(std::string_view name) {
    return to_wall_time(integer(name));
}

std::vector<std::string> json_record_reader::list(std::string_view name) {
    const auto* const member = find_array(name);
    auto items = list_or_empty(name);
    if (member == nullptr || items.size() != member->size()) mark_wrong(name);
    return items;
}

std::map<std::string, std::int64_t> json_record_reader::counts(std::string_view name) {
    std::map<std::string, std::int64_t> entries;
    const auto* const member = find(name);
    if (member == nullptr || !member->is_object()) {
        mark_wrong(name);
        return entries;
    }
    for (const auto& [key, value] : member->get_object()) {
        if (!value.is_int64())
            mark_wrong(name);
        else
            entries.emplace(std::string(key), value.get_int64());
    }
    return entries;
}

std::string json_record_reader::text_or_empty(std::string_view name) const {
    const auto* const member = find(name);
    if (member == nullptr || !member->is_string()) return {};
    return {member->get_string().data(), member->get_string().size()};
}

std::int64_t json_record_reader::integer_or_zero(std::string_view name) const {
    const auto* const member = find(name);
    return member != nullptr && member->is_int64() ? member->get_int64() : 0;
}

bool json_record_reader::boolean_or_false(std::string_view name) const {
    const auto* const member = find(name);
    return member != nullptr && member->is_bool() && member->get_bool();
}

std::optional<wall_time> json_record_reader::find_time(std::string_view name) const {
    const auto* const member = find(name);
    if (member == nullptr || !member->is_int64()) return std::nullopt;
    return to_wall_time(member->get_int64());
}

std::vector<std::string> json_record_reader::list_or_empty(std::string_view name) const {
    std::vector<std::string> items;
    const auto* const member = find_array(name);
    if (member == nullptr) return items;
    for (const auto& item : *member)
        if (item.is_string()) items.push_back(json::value_to<std::string>(item));
    return items;
}

std::map<std::string, std::string> json_record_reader::texts_or_empty(std::string_view name) const {
    std::map<std::string, std::string> entries;
    const auto* const member = find(name);
    if (member == nullptr || !member->is_object()) return entries;
    for (const auto& [key, value] : member->get_object())
        if (value.is_string())
            entries.emplace(std::string(key), json::value_to<std::string>(value));
    return entries;
}

result<void> json_record_reader::check() const {
    if (wrong_member_.empty()) return {};
    return fail(errc::corrupt, fmt::format("invalid \"{}\" in {} record", wrong_member_, kind_));
}

std::int64_t stored_time(wall_time time) {
    return time.time_since_epoch().count();
}

void put_time(json::object& object, std::string_view name, const std::optional<wall_time>& time) {
    if (time) object[view(name)] = stored_time(*time);
}

json::array stored_list(const std::vector<std::string>& items) {
    json::array items_json;
    for (const auto& item : items) items_json.emplace_back(item);
    return items_json;
}

}  // namespace muster::runtime
