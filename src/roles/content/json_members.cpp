#include "roles/content/json_members.h"

#include <chrono>

namespace muster::content {
namespace {

namespace json = boost::json;

const json::value* find(const json::object& from, std::string_view name) {
    return from.if_contains({name.data(), name.size()});
}

json::string_view key_of(std::string_view name) {
    return {name.data(), name.size()};
}

}  // namespace

result<json::object> parse_object(std::string_view text) {
    json::error_code failure;
    auto parsed = json::parse({text.data(), text.size()}, failure);
    if (failure || !parsed.is_object()) return fail(errc::corrupt, "it is no JSON object");
    return std::move(parsed.as_object());
}

std::string text_in(const json::object& from, std::string_view name) {
    const auto* const found = find(from, name);
    if (found == nullptr || !found->is_string()) return {};
    return {found->as_string().data(), found->as_string().size()};
}

std::int64_t integer_in(const json::object& from, std::string_view name) {
    const auto* const found = find(from, name);
    return found != nullptr && found->is_int64() ? found->as_int64() : 0;
}

bool flag_in(const json::object& from, std::string_view name) {
    const auto* const found = find(from, name);
    return found != nullptr && found->is_bool() && found->as_bool();
}

std::vector<std::string> texts_in(const json::object& from, std::string_view name) {
    const auto* const found = find(from, name);
    std::vector<std::string> made;
    if (found == nullptr || !found->is_array()) return made;
    for (const auto& each : found->as_array())
        if (each.is_string()) made.emplace_back(each.as_string().data(), each.as_string().size());
    return made;
}

std::optional<wall_time> time_in(const json::object& from, std::string_view name) {
    const auto* const found = find(from, name);
    if (found == nullptr || !found->is_int64()) return std::nullopt;
    return wall_time(std::chrono::microseconds(found->as_int64()));
}

void put_time(json::object& to, std::string_view name, const std::optional<wall_time>& when) {
    if (when) to[key_of(name)] = std::int64_t{when->time_since_epoch().count()};
}

void put_texts(json::object& to, std::string_view name, const std::vector<std::string>& all) {
    json::array made;
    for (const auto& each : all) made.emplace_back(each);
    to[key_of(name)] = std::move(made);
}

}  // namespace muster::content
