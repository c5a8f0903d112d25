#include "roles/gateway/json_body.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <utility>

namespace muster::gateway {
namespace {

namespace json = boost::json;

std::unexpected<error> wrong(std::string_view name, std::string_view wanted) {
    return fail(errc::invalid, fmt::format("`{}` must be {}", name, wanted));
}

}  // namespace

result<json_body> json_body::parse(std::string_view text) {
    if (text.empty()) return json_body(json::object());
    json::error_code failure;
    const auto parsed = json::parse({text.data(), text.size()}, failure);
    if (failure || !parsed.is_object()) return fail(errc::invalid, "the body is not a JSON object");
    return json_body(parsed.as_object());
}

const json::value* json_body::member(std::string_view name) {
    asked_.emplace(name);
    return all_.if_contains({name.data(), name.size()});
}

result<std::optional<std::string>> json_body::optional_text(std::string_view name) {
    const auto* found = member(name);
    if (found == nullptr || found->is_null()) return std::optional<std::string>();
    if (!found->is_string()) return wrong(name, "a text");
    return std::optional(json::value_to<std::string>(*found));
}

result<std::string> json_body::text(std::string_view name) {
    TRY(auto found, optional_text(name));
    if (!found || found->empty()) return fail(errc::invalid, fmt::format("`{}` is missing", name));
    return *std::move(found);
}

result<std::optional<std::int64_t>> json_body::optional_integer(std::string_view name) {
    const auto* found = member(name);
    if (found == nullptr || found->is_null()) return std::optional<std::int64_t>();
    if (!found->is_int64()) return wrong(name, "a whole number");
    return std::optional(found->as_int64());
}

result<std::optional<std::vector<std::string>>> json_body::optional_list(std::string_view name) {
    const auto* found = member(name);
    if (found == nullptr || found->is_null()) return std::optional<std::vector<std::string>>();
    if (!found->is_array()) return wrong(name, "a list of texts");
    std::vector<std::string> items;
    for (const auto& each : found->as_array()) {
        if (!each.is_string()) return wrong(name, "a list of texts");
        items.push_back(json::value_to<std::string>(each));
    }
    return std::optional(std::move(items));
}

std::optional<json::value> json_body::optional_value(std::string_view name) {
    const auto* found = member(name);
    if (found == nullptr || found->is_null()) return std::nullopt;
    return *found;
}

result<bool> json_body::flag(std::string_view name) {
    const auto* found = member(name);
    if (found == nullptr || found->is_null()) return false;
    if (!found->is_bool()) return wrong(name, "true or false");
    return found->as_bool();
}

result<void> json_body::finish() const {
    for (const auto& each : all_) {
        const std::string_view name(each.key().data(), each.key().size());
        if (!asked_.contains(name))
            return fail(errc::invalid, fmt::format("`{}` is not known here", name));
    }
    return {};
}

}  // namespace muster::gateway
