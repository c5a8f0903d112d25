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
        return fail(errc::invalid, "the arguments are not a JSON object");
    return arguments(std::move(document.get_object()));
}

void arguments::refuse(std::string why) {
    if (wrong_.empty()) wrong_ = std::move(why);
}

const json::value* arguments::take(std::string_view name) {
    taken_.emplace(name);
    const auto* match = members_.if_contains(name);
    return match == nullptr || match->is_null() ? nullptr : match;
}

std::optional<std::string> arguments::text(std::string_view name) {
    const auto* match = take(name);
    if (match == nullptr) return std::nullopt;
    if (!match->is_string()) {
        refuse(fmt::format("{}: a text is needed", name));
        return std::nullopt;
    }
    return std::string(match->get_string());
}

std::optional<std::int64_t> arguments::integer(std::string_view name) {
    const auto* match = take(name);
    if (match == nullptr) return std::nullopt;
    if (!match->is_int64()) {
        refuse(fmt::format("{}: a whole number is needed", name));
        return std::nullopt;
    }
    return match->get_int64();
}

std::optional<bool> arguments::flag(std::string_view name) {
    const auto* match = take(name);
    if (match == nullptr) return std::nullopt;
    if (!match->is_bool()) {
        refuse(fmt::format("{}: true or false is needed", name));
        return std::nullopt;
    }
    return match->get_bool();
}

bool arguments::is_list(std::string_view name) const {
    const auto* match = members_.if_contains(name);
    return match != nullptr && match->is_array();
}

std::optional<std::vector<std::string>> arguments::texts(std::string_view name) {
    const auto* match = take(name);
    if (match == nullptr) return std::nullopt;
    std::vector<std::string> all;
    bool well = match->is_array();
    if (well) {
        for (const auto& each : match->get_array()) {
            well = well && each.is_string();
            if (each.is_string()) all.emplace_back(each.get_string());
        }
    }
    if (!well) refuse(fmt::format("{}: a list of texts is needed", name));
    return all;
}

std::optional<std::vector<std::int64_t>> arguments::integers(std::string_view name) {
    const auto* match = take(name);
    if (match == nullptr) return std::nullopt;
    std::vector<std::int64_t> all;
    bool well = match->is_array();
    if (well) {
        for (const auto& each : match->get_array()) {
            well = well && each.is_int64();
            if (each.is_int64()) all.push_back(each.get_int64());
        }
    }
    if (!well) refuse(fmt::format("{}: a list of whole numbers is needed", name));
    return all;
}

std::map<std::string, std::string> arguments::text_by_name(std::string_view name) {
    const auto* match = take(name);
    std::map<std::string, std::string> all;
    if (match == nullptr) return all;
    bool well = match->is_object();
    if (well) {
        for (const auto& each : match->get_object()) {
            well = well && each.value().is_string();
            if (each.value().is_string())
                all.emplace(each.key(), std::string(each.value().get_string()));
        }
    }
    if (!well) refuse(fmt::format("{}: an object of texts is needed", name));
    return all;
}

result<void> arguments::finish() const {
    for (const auto& member : members_) {
        const std::string_view name = member.key();
        if (!taken_.contains(name))
            return fail(errc::invalid, fmt::format("{}: there is no such argument", name));
    }
    if (!wrong_.empty()) return fail(errc::invalid, wrong_);
    return {};
}

}  // namespace muster::agent
