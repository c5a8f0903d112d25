#include "core/windows/recurrence.h"

#include "core/windows/ical_value.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <string>
#include <utility>

namespace muster::windows {
namespace {

using frequency = recurrence::frequency;

std::unexpected<error> invalid_part(std::string_view part, std::string_view text) {
    return fail(errc::invalid, "RRULE " + std::string(part) + ": " + std::string(text));
}

result<int> parse_integer(std::string_view part, std::string_view text, int min, int max) {
    int value = 0;
    const auto digits = text.starts_with('+') ? text.substr(1) : text;
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const bool complete = parsed.ec == std::errc() && parsed.ptr == digits.data() + digits.size();
    if (complete && value >= min && value <= max) return value;
    return invalid_part(
        part,
        "'" + std::string(text) + "' is not a number from " + std::to_string(min) + " to "
            + std::to_string(max));
}

template <class Action>
result<void> for_each_item(std::string_view list, Action&& action) {
    while (true) {
        const auto comma = list.find(',');
        CHECK_OK(action(list.substr(0, comma)));
        if (comma == std::string_view::npos) return {};
        list.remove_prefix(comma + 1);
    }
}

enum class zero_rule { allowed, not_allowed };

result<std::vector<int>> parse_integers(
    std::string_view part, std::string_view list, int min, int max, zero_rule zero) {
    std::vector<int> values;
    CHECK_OK(for_each_item(list, [&](std::string_view item) -> result<void> {
        TRY(const int value, parse_integer(part, item, min, max));
        if (value == 0 && zero == zero_rule::not_allowed)
            return invalid_part(part, "0 is not allowed");
        values.push_back(value);
        return {};
    }));
    std::ranges::sort(values);
    const auto duplicates = std::ranges::unique(values);
    values.erase(duplicates.begin(), duplicates.end());
    return values;
}

result<std::chrono::weekday> parse_weekday(std::string_view part, std::string_view text) {
    constexpr std::array<std::string_view, 7> names{"SU", "MO", "TU", "WE", "TH", "FR", "SA"};
    const auto* const it = std::ranges::find(names, text);
    if (it == names.end())
        return invalid_part(part, "'" + std::string(text) + "' is not one of MO TU WE TH FR SA SU");
    return std::chrono::weekday(static_cast<unsigned>(it - names.begin()));
}

result<std::vector<recurrence::ordinal_day>> parse_days(std::string_view list) {
    std::vector<recurrence::ordinal_day> days;
    CHECK_OK(for_each_item(list, [&](std::string_view item) -> result<void> {
        recurrence::ordinal_day day;
        const auto name = item.size() < 2 ? item : item.substr(item.size() - 2);
        TRY(day.day, parse_weekday("BYDAY", name));
        const auto nth = item.substr(0, item.size() - 2);
        if (!nth.empty()) {
            TRY(day.nth, parse_integer("BYDAY", nth, -53, 53));
            if (day.nth == 0) return invalid_part("BYDAY", "0 is not allowed");
        }
        if (std::ranges::find(days, day) == days.end()) days.push_back(day);
        return {};
    }));
    return days;
}

result<frequency> parse_frequency(std::string_view text) {
    if (text == "YEARLY") return frequency::yearly;
    if (text == "MONTHLY") return frequency::monthly;
    if (text == "WEEKLY") return frequency::weekly;
    if (text == "DAILY") return frequency::daily;
    if (text == "HOURLY") return frequency::hourly;
    if (text == "MINUTELY" || text == "SECONDLY")
        return invalid_part("FREQ", "frequencies above HOURLY are not supported");
    return invalid_part("FREQ", "must be YEARLY, MONTHLY, WEEKLY, DAILY or HOURLY");
}

result<recurrence::end> parse_end(std::string_view text) {
    const auto value = parse_moment(text);
    if (!value) return invalid_part("UNTIL", value.error().detail());
    using time_base = recurrence::end::time_base;
    const auto base = value->utc ? time_base::utc : time_base::local;
    // A date means the whole of that day.
    const auto last =
        value->whole_day ? value->at + std::chrono::hours(24) - seconds(1) : value->at;
    return recurrence::end{.last = last, .base = base};
}

result<void> read_list(
    recurrence& rule, std::string_view name, std::string_view value, bool& handled) {
    struct list_part {
        std::string_view name;
        std::vector<int> recurrence::* list;
        int min;
        int max;
        zero_rule zero;
    };
    static constexpr std::array<list_part, 8> parts{
        {{"BYMONTH", &recurrence::months, 1, 12, zero_rule::not_allowed},
         {"BYWEEKNO", &recurrence::week_numbers, -53, 53, zero_rule::not_allowed},
         {"BYYEARDAY", &recurrence::year_days, -366, 366, zero_rule::not_allowed},
         {"BYMONTHDAY", &recurrence::month_days, -31, 31, zero_rule::not_allowed},
         {"BYHOUR", &recurrence::hours, 0, 23, zero_rule::allowed},
         {"BYMINUTE", &recurrence::minutes, 0, 59, zero_rule::allowed},
         {"BYSECOND", &recurrence::seconds, 0, 59, zero_rule::allowed},
         {"BYSETPOS", &recurrence::positions, -366, 366, zero_rule::not_allowed}}};
    const auto* const part = std::ranges::find(parts, name, &list_part::name);
    handled = part != parts.end();
    if (!handled) return {};
    TRY(rule.*(part->list), parse_integers(name, value, part->min, part->max, part->zero));
    return {};
}

result<void> read_part(recurrence& rule, std::string_view name, std::string_view value) {
    bool handled = false;
    CHECK_OK(read_list(rule, name, value, handled));
    if (handled) return {};
    if (name == "FREQ") {
        TRY(rule.every, parse_frequency(value));
    } else if (name == "INTERVAL") {
        TRY(rule.interval, parse_integer(name, value, 1, recurrence_limits::interval_max));
    } else if (name == "COUNT") {
        TRY(rule.count, parse_integer(name, value, 1, recurrence_limits::count_max));
    } else if (name == "UNTIL") {
        TRY(rule.until, parse_end(value));
    } else if (name == "WKST") {
        TRY(rule.week_start, parse_weekday(name, value));
    } else if (name == "BYDAY") {
        TRY(rule.days, parse_days(value));
    } else {
        return invalid_part(name, "unknown part");
    }
    return {};
}

bool has_ordinal(const recurrence& rule) {
    return std::ranges::any_of(rule.days, [](const auto& day) { return day.nth != 0; });
}

// Combinations that RFC 5545 forbids.
result<void> check_combinations(const recurrence& rule) {
    const bool yearly = rule.every == frequency::yearly;
    const bool hourly = rule.every == frequency::hourly;
    if (rule.count && rule.until) return invalid_part("COUNT", "cannot be combined with UNTIL");
    if (has_ordinal(rule) && !yearly && rule.every != frequency::monthly)
        return invalid_part("BYDAY", "a number before the day requires FREQ=MONTHLY or YEARLY");
    if (has_ordinal(rule) && !rule.week_numbers.empty())
        return invalid_part("BYDAY", "a number before the day cannot be combined with BYWEEKNO");
    if (!rule.month_days.empty() && rule.every == frequency::weekly)
        return invalid_part("BYMONTHDAY", "cannot be combined with FREQ=WEEKLY");
    if (!rule.year_days.empty() && !yearly && !hourly)
        return invalid_part("BYYEARDAY", "requires FREQ=YEARLY or HOURLY");
    if (!rule.week_numbers.empty() && !yearly)
        return invalid_part("BYWEEKNO", "requires FREQ=YEARLY");
    const bool has_other_part = !rule.months.empty() || !rule.week_numbers.empty()
                                || !rule.year_days.empty() || !rule.month_days.empty()
                                || !rule.days.empty() || !rule.hours.empty()
                                || !rule.minutes.empty() || !rule.seconds.empty();
    if (!rule.positions.empty() && !has_other_part)
        return invalid_part("BYSETPOS", "requires another BY… part");
    const auto at_least_one = [](const std::vector<int>& list) {
        return std::max<std::size_t>(list.size(), 1);
    };
    const auto times_per_day =
        at_least_one(rule.hours) * at_least_one(rule.minutes) * at_least_one(rule.seconds);
    if (times_per_day > recurrence_limits::times_per_day_max)
        return invalid_part(
            "BYHOUR", "BYHOUR, BYMINUTE and BYSECOND give more than 96 times a day");
    return {};
}

}  // namespace

result<recurrence> recurrence::parse(std::string_view text) {
    if (text.size() > recurrence_limits::text_bytes_max)
        return fail(errc::invalid, "RRULE: longer than 2048 bytes");
    recurrence rule;
    std::set<std::string_view> names;
    while (!text.empty()) {
        const auto end = text.find(';');
        const auto part = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        const auto equals = part.find('=');
        if (equals == std::string_view::npos || equals + 1 == part.size())
            return invalid_part(part, "must be NAME=VALUE");
        const auto name = part.substr(0, equals);
        if (!names.insert(name).second) return invalid_part(name, "duplicate part");
        CHECK_OK(read_part(rule, name, part.substr(equals + 1)));
    }
    if (!names.contains("FREQ")) return fail(errc::invalid, "RRULE: FREQ is missing");
    CHECK_OK(check_combinations(rule));
    return rule;
}

}  // namespace muster::windows
