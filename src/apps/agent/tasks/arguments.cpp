#include "apps/agent/tasks/arguments.h"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include <utility>

namespace muster::agent {

namespace json = boost::json;

namespace {

constexpr std::size_t depth_max = 16;

}  // namespace

result<arguments> arguments::parse(std::string_view text) {
    if (text.empty()) return arguments(json::object());
    json::parse_options strict;
    strict.max_depth = depth_max;
    json::error_code failure;
    auto document = json::parse(text, failure, {}, strict);
    if (failure || !document.is_object())
        return fail(errc::invalid, "arguments are not a JSON object");
    return arguments(std::move(document.get_object()));
}

void arguments::refuse(std::string problem) {
    if (problem_.empty()) problem_ = std::move(problem);
}

const json::value* arguments::find(std::string_view name) {
    read_.emplace(name);
    const auto* value = members_.if_contains(name);
    return value == nullptr || value->is_null() ? nullptr : value;
}

std::optional<std::string> arguments::text(std::string_view name) {
    const auto* value = find(name);
    if (value == nullptr) return std::nullopt;
    if (!value->is_string()) {
        refuse(fmt::format("{}: string required", name));
        return std::nullopt;
    }
    return std::string(value->get_string());
}

std::optional<std::int64_t> arguments::integer(std::string_view name) {
    const auto* value = find(name);
    if (value == nullptr) return std::nullopt;
    if (!value->is_int64()) {
        refuse(fmt::format("{}: integer required", name));
        return std::nullopt;
    }
    return value->get_int64();
}

std::optional<bool> arguments::flag(std::string_view name) {
    const auto* value = find(name);
    if (value == nullptr) return std::nullopt;
    if (!value->is_bool()) {
        refuse(fmt::format("{}: true or false required", name));
        return std::nullopt;
    }
    return value->get_bool();
}

bool arguments::is_list(std::string_view name) const {
    const auto* value = members_.if_contains(name);
    return value != nullptr && value->is_array();
}

std::optional<std::vector<std::string>> arguments::texts(std::string_view name) {
    const auto* value = find(name);
    if (value == nullptr) return std::nullopt;
    std::vector<std::string> values;
    bool valid = value->is_array();
    if (valid) {
        for (const auto& element : value->get_array()) {
            valid = valid && element.is_string();
            if (element.is_string()) values.emplace_back(element.get_string());
        }
    }
    if (!valid) refuse(fmt::format("{}: list of strings required", name));
    return values;
}

std::optional<std::vector<std::int64_t>> arguments::integers(std::string_view name) {
    const auto* value = find(name);
    if (value == nullptr) return std::nullopt;
    std::vector<std::int64_t> values;
    bool valid = value->is_array();
    if (valid) {
        for (const auto& element : value->get_array()) {
            valid = valid && element.is_int64();
            if (element.is_int64()) values.push_back(element.get_int64());
        }
    }
    if (!valid) refuse(fmt::format("{}: list of integers required", name));
    return values;
}

std::map<std::string, std::string> arguments::text_by_name(std::string_view name) {
    const auto* value = find(name);
    std::map<std::string, std::string> values;
    if (value == nullptr) return values;
    bool valid = value->is_object();
    if (valid) {
        for (const auto& member : value->get_object()) {
            valid = valid && member.value().is_string();
            if (member.value().is_string())
                values.emplace(member.key(), std::string(member.value().get_string()));
        }
    }
    if (!valid) refuse(fmt::format("{}: object of strings required", name));
    return values;
}

result<void> arguments::finish() const {
    for (const auto& member : members_) {
        const std::string_view name = member.key();
        if (!read_.contains(name))
            return fail(errc::invalid, fmt::format("{}: unknown argument", name));
    }
    if (!problem_.empty()) return fail(errc::invalid, problem_);
    return {};
}

}  // namespace muster::agent
