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

wall_time time_of(std::int64_t microseconds) {
    return wall_time(std::chrono::microseconds(microseconds));
}

}  // namespace

result<json_record_reader> json_record_reader::of(std::string_view kind, std::string_view text) {
    json::error_code failure;
    auto parsed = json::parse(view(text), failure);
    if (failure) parsed = nullptr;
    return of_value(kind, std::move(parsed));
}

result<json_record_reader> json_record_reader::of_value(std::string_view kind, json::value stored) {
    if (!stored.is_object())
        return fail(errc::corrupt, fmt::format("the {} record is not a JSON object", kind));
    return json_record_reader(kind, std::move(stored.get_object()));
}

const json::value* json_record_reader::find(std::string_view name) const {
    return all_.if_contains(view(name));
}

const json::array* json_record_reader::find_array(std::string_view name) const {
    const auto* const found = find(name);
    return found == nullptr ? nullptr : found->if_array();
}

void json_record_reader::mark_wrong(std::string_view name) {
    if (wrong_.empty()) wrong_ = name;
}

std::string json_record_reader::text(std::string_view name) {
    const auto* const found = find(name);
    if (found == nullptr || !found->is_string()) mark_wrong(name);
    return text_or_empty(name);
}

std::int64_t json_record_reader::integer(std::string_view name) {
    const auto* const found = find(name);
    if (found == nullptr || !found->is_int64()) mark_wrong(name);
    return integer_or_zero(name);
}

bool json_record_reader::boolean(std::string_view name) {
    const auto* const found = find(name);
    if (found == nullptr || !found->is_bool()) mark_wrong(name);
    return boolean_or_false(name);
}

wall_time json_record_reader::time(std::string_view name) {
    return time_of(integer(name));
}

std::vector<std::string> json_record_reader::list(std::string_view name) {
    const auto* const found = find_array(name);
    auto items = list_or_empty(name);
    if (found == nullptr || items.size() != found->size()) mark_wrong(name);
    return items;
}

std::map<std::string, std::int64_t> json_record_reader::counts(std::string_view name) {
    std::map<std::string, std::int64_t> read;
    const auto* const found = find(name);
    if (found == nullptr || !found->is_object()) {
        mark_wrong(name);
        return read;
    }
    for (const auto& [key, value] : found->get_object()) {
        if (!value.is_int64())
            mark_wrong(name);
        else
            read.emplace(std::string(key), value.get_int64());
    }
    return read;
}

std::string json_record_reader::text_or_empty(std::string_view name) const {
    const auto* const found = find(name);
    if (found == nullptr || !found->is_string()) return {};
    return {found->get_string().data(), found->get_string().size()};
}

std::int64_t json_record_reader::integer_or_zero(std::string_view name) const {
    const auto* const found = find(name);
    return found != nullptr && found->is_int64() ? found->get_int64() : 0;
}

bool json_record_reader::boolean_or_false(std::string_view name) const {
    const auto* const found = find(name);
    return found != nullptr && found->is_bool() && found->get_bool();
}

std::optional<wall_time> json_record_reader::find_time(std::string_view name) const {
    const auto* const found = find(name);
    if (found == nullptr || !found->is_int64()) return std::nullopt;
    return time_of(found->get_int64());
}

std::vector<std::string> json_record_reader::list_or_empty(std::string_view name) const {
    std::vector<std::string> items;
    const auto* const found = find_array(name);
    if (found == nullptr) return items;
    for (const auto& each : *found)
        if (each.is_string()) items.push_back(json::value_to<std::string>(each));
    return items;
}

std::map<std::string, std::string> json_record_reader::texts_or_empty(std::string_view name) const {
    std::map<std::string, std::string> read;
    const auto* const found = find(name);
    if (found == nullptr || !found->is_object()) return read;
    for (const auto& [key, value] : found->get_object())
        if (value.is_string()) read.emplace(std::string(key), json::value_to<std::string>(value));
    return read;
}

result<void> json_record_reader::outcome() const {
    if (wrong_.empty()) return {};
    return fail(errc::corrupt, fmt::format("`{}` of the {} record is wrong", wrong_, kind_));
}

std::int64_t stored_time(wall_time moment) {
    return moment.time_since_epoch().count();
}

void put_time(json::object& to, std::string_view name, const std::optional<wall_time>& when) {
    if (when) to[view(name)] = stored_time(*when);
}

json::array stored_list(const std::vector<std::string>& items) {
    json::array stored;
    for (const auto& item : items) stored.emplace_back(item);
    return stored;
}

}  // namespace muster::runtime
