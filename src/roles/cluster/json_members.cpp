#include "roles/cluster/json_members.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace muster::cluster {

namespace json = boost::json;

result<json_members> json_members::of(std::string_view kind, std::string_view text) {
    json::error_code failure;
    auto parsed = json::parse(json::string_view(text.data(), text.size()), failure);
    if (failure || !parsed.is_object())
        return fail(errc::corrupt, fmt::format("the {} record is not a JSON object", kind));
    return json_members(kind, std::move(parsed.as_object()));
}

const json::value* json_members::member(std::string_view name) const {
    return all_.if_contains(json::string_view(name.data(), name.size()));
}

void json_members::mark_wrong(std::string_view name) {
    if (wrong_.empty()) wrong_ = name;
}

std::string json_members::text(std::string_view name) {
    const auto* found = member(name);
    if (found != nullptr && found->is_string()) return json::value_to<std::string>(*found);
    mark_wrong(name);
    return {};
}

std::int64_t json_members::integer(std::string_view name) {
    const auto* found = member(name);
    if (found != nullptr && found->is_int64()) return found->as_int64();
    mark_wrong(name);
    return 0;
}

bool json_members::boolean(std::string_view name) {
    const auto* found = member(name);
    if (found != nullptr && found->is_bool()) return found->as_bool();
    mark_wrong(name);
    return false;
}

wall_time json_members::time(std::string_view name) {
    return wall_time(std::chrono::microseconds(integer(name)));
}

std::map<std::string, std::int64_t> json_members::counts(std::string_view name) {
    std::map<std::string, std::int64_t> read;
    const auto* found = member(name);
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

std::vector<std::string> json_members::list(std::string_view name) {
    std::vector<std::string> items;
    const auto* found = member(name);
    if (found == nullptr || !found->is_array()) {
        mark_wrong(name);
        return items;
    }
    for (const auto& each : found->as_array()) {
        if (each.is_string()) {
            items.push_back(json::value_to<std::string>(each));
        } else {
            mark_wrong(name);
        }
    }
    return items;
}

result<void> json_members::outcome() const {
    if (wrong_.empty()) return {};
    return fail(errc::corrupt, fmt::format("`{}` of the {} record is wrong", wrong_, kind_));
}

std::int64_t stored_time(wall_time moment) {
    return moment.time_since_epoch().count();
}

json::array stored_list(const std::vector<std::string>& items) {
    json::array stored;
    for (const auto& each : items) stored.emplace_back(each);
    return stored;
}

}  // namespace muster::cluster
