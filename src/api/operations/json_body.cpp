#include "api/operations/json_body.h"

#include "runtime/json/value_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::api {
namespace {

using api::value;

std::unexpected<error> wrong_type(std::string_view name, std::string_view desired) {
    return fail(errc::invalid, fmt::format("`{}` must be {}", name, desired));
}

}  // namespace

result<json_body> json_body::parse(std::string_view text) {
    if (text.empty()) return json_body(value::record());
    auto parsed = runtime::parse_json(text);
    auto* const members = parsed ? parsed->get<value::record>() : nullptr;
    if (members == nullptr) return fail(errc::invalid, "request body is not a JSON object");
    return json_body(std::move(*members));
}

// A null member counts as absent.
const value* json_body::member(std::string_view name) {
    read_names_.emplace(name);
    const auto it = std::ranges::find(members_, name, &api::member::name);
    return it == members_.end() || it->of.is_nothing() ? nullptr : &it->of;
}

result<std::optional<std::string>> json_body::optional_text(std::string_view name) {
    const auto* value = member(name);
    if (value == nullptr) return std::optional<std::string>();
    const auto* const text = value->get<std::string>();
    if (text == nullptr) return wrong_type(name, "a string");
    return std::optional(*text);
}

result<std::string> json_body::text(std::string_view name) {
    TRY(auto value, optional_text(name));
    if (!value || value->empty()) return fail(errc::invalid, fmt::format("`{}` is missing", name));
    return *std::move(value);
}

result<std::optional<std::int64_t>> json_body::optional_integer(std::string_view name) {
    const auto* value = member(name);
    if (value == nullptr) return std::optional<std::int64_t>();
    const auto* const number = value->get<std::int64_t>();
    if (number == nullptr) return wrong_type(name, "an integer");
    return std::optional(*number);
}

result<std::optional<std::vector<std::string>>> json_body::optional_list(std::string_view name) {
    const auto* value = member(name);
    if (value == nullptr) return std::optional<std::vector<std::string>>();
    const auto* const list = value->get<value::list>();
    if (list == nullptr) return wrong_type(name, "a list of strings");
    std::vector<std::string> items;
    for (const auto& item : *list) {
        const auto* const text = item.get<std::string>();
        if (text == nullptr) return wrong_type(name, "a list of strings");
        items.push_back(*text);
    }
    return std::optional(std::move(items));
}

const value* json_body::optional_value(std::string_view name) {
    return member(name);
}

result<bool> json_body::flag(std::string_view name) {
    const auto* value = member(name);
    if (value == nullptr) return false;
    const auto* const flag = value->get<bool>();
    if (flag == nullptr) return wrong_type(name, "true or false");
    return *flag;
}

result<void> json_body::finish() const {
    for (const auto& member : members_)
        if (!read_names_.contains(member.name))
            return fail(errc::invalid, fmt::format("unknown field `{}`", member.name));
    return {};
}

}  // namespace muster::api
