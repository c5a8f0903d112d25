#include "api/operations/json_body.h"

#include "runtime/json/value_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::api {
namespace {

using api::value;

std::unexpected<error> wrong(std::string_view name, std::string_view desired) {
    return fail(errc::invalid, fmt::format("`{}` must be {}", name, desired));
}

}  // namespace

result<json_body> json_body::parse(std::string_view text) {
    if (text.empty()) return json_body(value::record());
    auto parsed = runtime::parse_json(text);
    auto* const members = parsed ? parsed->get<value::record>() : nullptr;
    if (members == nullptr) return fail(errc::invalid, "the body is not a JSON object");
    return json_body(std::move(*members));
}

// What is null is not there.
const value* json_body::member(std::string_view name) {
    asked_.emplace(name);
    const auto it = std::ranges::find(all_, name, &api::member::name);
    return it == all_.end() || it->of.is_nothing() ? nullptr : &it->of;
}

result<std::optional<std::string>> json_body::optional_text(std::string_view name) {
    const auto* match = member(name);
    if (match == nullptr) return std::optional<std::string>();
    const auto* const text = match->get<std::string>();
    if (text == nullptr) return wrong(name, "a text");
    return std::optional(*text);
}

result<std::string> json_body::text(std::string_view name) {
    TRY(auto match, optional_text(name));
    if (!match || match->empty()) return fail(errc::invalid, fmt::format("`{}` is missing", name));
    return *std::move(match);
}

result<std::optional<std::int64_t>> json_body::optional_integer(std::string_view name) {
    const auto* match = member(name);
    if (match == nullptr) return std::optional<std::int64_t>();
    const auto* const number = match->get<std::int64_t>();
    if (number == nullptr) return wrong(name, "a whole number");
    return std::optional(*number);
}

result<std::optional<std::vector<std::string>>> json_body::optional_list(std::string_view name) {
    const auto* match = member(name);
    if (match == nullptr) return std::optional<std::vector<std::string>>();
    const auto* const list = match->get<value::list>();
    if (list == nullptr) return wrong(name, "a list of texts");
    std::vector<std::string> items;
    for (const auto& each : *list) {
        const auto* const text = each.get<std::string>();
        if (text == nullptr) return wrong(name, "a list of texts");
        items.push_back(*text);
    }
    return std::optional(std::move(items));
}

const value* json_body::optional_value(std::string_view name) {
    return member(name);
}

result<bool> json_body::flag(std::string_view name) {
    const auto* match = member(name);
    if (match == nullptr) return false;
    const auto* const flag = match->get<bool>();
    if (flag == nullptr) return wrong(name, "true or false");
    return *flag;
}

result<void> json_body::finish() const {
    for (const auto& each : all_)
        if (!asked_.contains(each.name))
            return fail(errc::invalid, fmt::format("`{}` is not known here", each.name));
    return {};
}

}  // namespace muster::api
