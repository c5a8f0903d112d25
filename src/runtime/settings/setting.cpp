#include "runtime/settings/setting.h"

#include "base/assert.h"
#include "runtime/engine_url.h"
#include "runtime/settings/nearest.h"
#include "runtime/settings/units.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace muster::runtime {
namespace {

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    while (!text.empty()) {
        const auto end = text.find(separator);
        parts.emplace_back(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return parts;
}

result<std::int64_t> parse_integer(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc() || end != text.data() + text.size())
        return fail(errc::invalid, fmt::format("\"{}\" is not an integer", text));
    return value;
}

result<std::int64_t> parse_count(setting_kind kind, std::string_view text) {
    if (kind == setting_kind::size) return parse_size(text);
    if (kind == setting_kind::integer) return parse_integer(text);
    TRY(const auto span, parse_duration(text));
    return span.count();
}

result<std::int64_t> parse_bounded(const setting& setting, std::string_view text) {
    TRY(const auto value, parse_count(setting.kind, text));
    const auto out_of_bounds = [&](std::string_view bound, bool above) {
        if (bound.empty()) return false;
        const auto limit = parse_count(setting.kind, bound);
        MUSTER_ASSERT(limit.has_value());  // bounds are ours
        return above ? value > *limit : value < *limit;
    };
    if (out_of_bounds(setting.minimum, false))
        return fail(errc::invalid, fmt::format("\"{}\" is less than {}", text, setting.minimum));
    if (out_of_bounds(setting.maximum, true))
        return fail(errc::invalid, fmt::format("\"{}\" is more than {}", text, setting.maximum));
    return value;
}

result<setting_value> parse_boolean(std::string_view text) {
    if (text == "true") return setting_value(true);
    if (text == "false") return setting_value(false);
    return fail(errc::invalid, fmt::format("\"{}\" is not true or false", text));
}

result<std::string> parse_choice(const setting& setting, const std::string& text) {
    const auto choices = choices_of(setting);
    if (std::ranges::find(choices, text) != choices.end()) return text;
    return fail(
        errc::invalid,
        fmt::format(
            "\"{}\" is not one of {}{}",
            text,
            fmt::join(choices, ", "),
            did_you_mean(text, choices)));
}

result<setting_value> parse_choices(const setting& setting, std::string_view text) {
    std::vector<std::string> chosen;
    for (const auto& word : split(text, ',')) {
        TRY(auto choice, parse_choice(setting, word));
        if (std::ranges::find(chosen, choice) == chosen.end()) chosen.push_back(std::move(choice));
    }
    if (chosen.empty()) return fail(errc::invalid, "list is empty");
    return setting_value(std::move(chosen));
}

result<void> check_engine(const setting& setting, std::string_view text) {
    CHECK_OK(parse_engine_url(text));
    const auto choices = choices_of(setting);
    const std::string scheme(scheme_of(text));
    if (std::ranges::find(choices, scheme) != choices.end()) return {};
    return fail(
        errc::invalid,
        fmt::format(
            "engine \"{}\" is not supported here; use one of {}",
            scheme,
            fmt::join(choices, ", ")));
}

result<void> check_path(std::string_view text) {
    if (text.empty()) return fail(errc::invalid, "path is empty");
    return {};
}

result<void> check_address(std::string_view text) {
    CHECK_OK(parse_endpoint(text));
    return {};
}

result<void> check_text(const setting& setting, std::string_view text) {
    switch (setting.kind) {
        case setting_kind::address:
            return check_address(text);
        case setting_kind::engine:
            return check_engine(setting, text);
        case setting_kind::path:
        case setting_kind::secret_file:
            return check_path(text);
        case setting_kind::text:
        case setting_kind::integer:
        case setting_kind::boolean:
        case setting_kind::duration:
        case setting_kind::size:
        case setting_kind::choice:
        case setting_kind::choices:
            return {};
    }
    MUSTER_ASSERT(false);
    return {};
}

std::string describe_kind(const setting& setting) {
    switch (setting.kind) {
        case setting_kind::text:
            return "text";
        case setting_kind::path:
            return "path";
        case setting_kind::address:
            return "HOST:PORT";
        case setting_kind::engine:
            return fmt::format("engine URL, one of {}", fmt::join(choices_of(setting), ", "));
        case setting_kind::integer:
            return "integer";
        case setting_kind::boolean:
            return "true or false";
        case setting_kind::duration:
            return "duration";
        case setting_kind::size:
            return "size";
        case setting_kind::choice:
            return fmt::format("one of {}", fmt::join(choices_of(setting), ", "));
        case setting_kind::choices:
            return fmt::format("one or more of {}", fmt::join(choices_of(setting), ","));
        case setting_kind::secret_file:
            return "path of a file that only its owner can read";
    }
    MUSTER_ASSERT(false);
    return {};
}

}  // namespace

std::string flag_of(const setting& setting) {
    std::string flag = "--" + std::string(setting.name);
    std::ranges::replace(flag, '.', '-');
    std::ranges::replace(flag, '_', '-');
    return flag;
}

std::string environment_of(const setting& setting) {
    std::string variable = "MUSTER_" + std::string(setting.name);
    for (auto& character : variable)
        character = character == '.' ? '_' : static_cast<char>(std::toupper(character));
    return variable;
}

std::vector<std::string> names_of(catalogue catalogue) {
    std::vector<std::string> names;
    for (const auto& setting : catalogue) names.emplace_back(setting.name);
    return names;
}

const setting* find_setting(catalogue catalogue, std::string_view name) {
    const auto it = std::ranges::find(catalogue, name, &setting::name);
    return it == catalogue.end() ? nullptr : &*it;
}

std::vector<std::string> choices_of(const setting& setting) {
    return split(setting.choices, '|');
}

std::string describe_expected_value(const setting& setting) {
    auto text = describe_kind(setting);
    if (!setting.minimum.empty() && !setting.maximum.empty())
        return fmt::format("{}, {} to {}", text, setting.minimum, setting.maximum);
    if (!setting.minimum.empty()) return fmt::format("{}, at least {}", text, setting.minimum);
    if (!setting.maximum.empty()) return fmt::format("{}, at most {}", text, setting.maximum);
    return text;
}

result<setting_value> parse_setting(const setting& setting, std::string_view text) {
    switch (setting.kind) {
        case setting_kind::integer:
        case setting_kind::size: {
            TRY(const auto value, parse_bounded(setting, text));
            return setting_value(value);
        }
        case setting_kind::duration: {
            TRY(const auto value, parse_bounded(setting, text));
            return setting_value(monotonic::duration(value));
        }
        case setting_kind::boolean:
            return parse_boolean(text);
        case setting_kind::choice: {
            TRY(auto choice, parse_choice(setting, std::string(text)));
            return setting_value(std::move(choice));
        }
        case setting_kind::choices:
            return parse_choices(setting, text);
        case setting_kind::address:
        case setting_kind::engine:
        case setting_kind::text:
        case setting_kind::path:
        case setting_kind::secret_file: {
            CHECK_OK(check_text(setting, text));
            return setting_value(std::string(text));
        }
    }
    MUSTER_ASSERT(false);
    return setting_value();
}

}  // namespace muster::runtime
