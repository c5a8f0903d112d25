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

std::unexpected<error> wrong(std::string_view part, std::string_view text) {
    return fail(errc::invalid, "RRULE " + std::string(part) + ": " + std::string(text));
}

result<int> integer(std::string_view part, std::string_view text, int least, int most) {
    int value = 0;
    const auto digits = text.starts_with('+') ? text.substr(1) : text;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const bool whole = read.ec == std::errc() && read.ptr == digits.data() + digits.size();
    if (whole && value >= least && value <= most) return value;
    return wrong(
        part,
        "'" + std::string(text) + "' is not a number from " + std::to_string(least) + " to "
            + std::to_string(most));
}

template <class Each>
result<void> each_item(std::string_view list, Each&& each) {
    while (true) {
        const auto comma = list.find(',');
        CHECK_OK(each(list.substr(0, comma)));
        if (comma == std::string_view::npos) return {};
        list.remove_prefix(comma + 1);
    }
}

enum class zero { allowed, not_allowed };

result<std::vector<int>> integers(
    std::string_view part, std::string_view list, int least, int most, zero as) {
    std::vector<int> read;
    CHECK_OK(each_item(list, [&](std::string_view item) -> result<void> {
        TRY(const int value, integer(part, item, least, most));
        if (value == 0 && as == zero::not_allowed) return wrong(part, "0 is not allowed");
        read.push_back(value);
        return {};
    }));
    std::ranges::sort(read);
    const auto doubled = std::ranges::unique(read);
    read.erase(doubled.begin(), doubled.end());
    return read;
}

result<std::chrono::weekday> weekday_of(std::string_view part, std::string_view text) {
    constexpr std::array<std::string_view, 7> names{"SU", "MO", "TU", "WE", "TH", "FR", "SA"};
    const auto* const found = std::ranges::find(names, text);
    if (found == names.end())
        return wrong(part, "'" + std::string(text) + "' is not one of MO TU WE TH FR SA SU");
    return std::chrono::weekday(static_cast<unsigned>(found - names.begin()));
}

result<std::vector<recurrence::ordinal_day>> days_of(std::string_view list) {
    std::vector<recurrence::ordinal_day> read;
    CHECK_OK(each_item(list, [&](std::string_view item) -> result<void> {
        recurrence::ordinal_day day;
        const auto name = item.size() < 2 ? item : item.substr(item.size() - 2);
        TRY(day.day, weekday_of("BYDAY", name));
        const auto nth = item.substr(0, item.size() - 2);
        if (!nth.empty()) {
            TRY(day.nth, integer("BYDAY", nth, -53, 53));
            if (day.nth == 0) return wrong("BYDAY", "there is no zeroth day");
        }
        if (std::ranges::find(read, day) == read.end()) read.push_back(day);
        return {};
    }));
    return read;
}

result<frequency> frequency_of(std::string_view text) {
    if (text == "YEARLY") return frequency::yearly;
    if (text == "MONTHLY") return frequency::monthly;
    if (text == "WEEKLY") return frequency::weekly;
    if (text == "DAILY") return frequency::daily;
    if (text == "HOURLY") return frequency::hourly;
    if (text == "MINUTELY" || text == "SECONDLY")
        return wrong("FREQ", "nothing may repeat more often than HOURLY");
    return wrong("FREQ", "must be YEARLY, MONTHLY, WEEKLY, DAILY or HOURLY");
}

result<recurrence::end> end_of(std::string_view text) {
    const auto value = parse_moment(text);
    if (!value) return wrong("UNTIL", value.error().detail());
    const auto as = value->utc ? recurrence::end::reading::utc : recurrence::end::reading::local;
    // A date means the whole of that day.
    const auto last =
        value->whole_day ? value->at + std::chrono::hours(24) - seconds(1) : value->at;
    return recurrence::end{.last = last, .as = as};
}

result<void> read_list(
    recurrence& rule, std::string_view name, std::string_view value, bool& existing) {
    struct list_part {
        std::string_view name;
        std::vector<int> recurrence::* into;
        int least;
        int most;
        zero as;
    };
    static constexpr std::array<list_part, 8> parts{
        {{"BYMONTH", &recurrence::months, 1, 12, zero::not_allowed},
         {"BYWEEKNO", &recurrence::week_numbers, -53, 53, zero::not_allowed},
         {"BYYEARDAY", &recurrence::year_days, -366, 366, zero::not_allowed},
         {"BYMONTHDAY", &recurrence::month_days, -31, 31, zero::not_allowed},
         {"BYHOUR", &recurrence::hours, 0, 23, zero::allowed},
         {"BYMINUTE", &recurrence::minutes, 0, 59, zero::allowed},
         {"BYSECOND", &recurrence::seconds, 0, 59, zero::allowed},
         {"BYSETPOS", &recurrence::positions, -366, 366, zero::not_allowed}}};
    const auto* const part = std::ranges::find(parts, name, &list_part::name);
    existing = part != parts.end();
    if (!existing) return {};
    TRY(rule.*(part->into), integers(name, value, part->least, part->most, part->as));
    return {};
}

result<void> read_part(recurrence& rule, std::string_view name, std::string_view value) {
    bool existing = false;
    CHECK_OK(read_list(rule, name, value, existing));
    if (existing) return {};
    if (name == "FREQ") {
        TRY(rule.every, frequency_of(value));
    } else if (name == "INTERVAL") {
        TRY(rule.interval, integer(name, value, 1, recurrence_limits::interval_max));
    } else if (name == "COUNT") {
        TRY(rule.count, integer(name, value, 1, recurrence_limits::count_max));
    } else if (name == "UNTIL") {
        TRY(rule.until, end_of(value));
    } else if (name == "WKST") {
        TRY(rule.week_start, weekday_of(name, value));
    } else if (name == "BYDAY") {
        TRY(rule.days, days_of(value));
    } else {
        return wrong(name, "no such part is known here");
    }
    return {};
}

bool has_ordinal(const recurrence& rule) {
    return std::ranges::any_of(rule.days, [](const auto& day) { return day.nth != 0; });
}

// What RFC 5545 forbids beside one another.
result<void> check(const recurrence& rule) {
    const bool yearly = rule.every == frequency::yearly;
    const bool hourly = rule.every == frequency::hourly;
    if (rule.count && rule.until) return wrong("COUNT", "not together with UNTIL");
    if (has_ordinal(rule) && !yearly && rule.every != frequency::monthly)
        return wrong("BYDAY", "a number before the day needs FREQ=MONTHLY or YEARLY");
    if (has_ordinal(rule) && !rule.week_numbers.empty())
        return wrong("BYDAY", "no number before the day beside BYWEEKNO");
    if (!rule.month_days.empty() && rule.every == frequency::weekly)
        return wrong("BYMONTHDAY", "not with FREQ=WEEKLY");
    if (!rule.year_days.empty() && !yearly && !hourly)
        return wrong("BYYEARDAY", "only with FREQ=YEARLY or HOURLY");
    if (!rule.week_numbers.empty() && !yearly) return wrong("BYWEEKNO", "only with FREQ=YEARLY");
    const bool other = !rule.months.empty() || !rule.week_numbers.empty() || !rule.year_days.empty()
                       || !rule.month_days.empty() || !rule.days.empty() || !rule.hours.empty()
                       || !rule.minutes.empty() || !rule.seconds.empty();
    if (!rule.positions.empty() && !other) return wrong("BYSETPOS", "needs another BY… part");
    const auto at_least_one = [](const std::vector<int>& list) {
        return std::max<std::size_t>(list.size(), 1);
    };
    const auto times =
        at_least_one(rule.hours) * at_least_one(rule.minutes) * at_least_one(rule.seconds);
    if (times > recurrence_limits::times_per_day_max)
        return wrong("BYHOUR", "BYHOUR, BYMINUTE and BYSECOND give more than 96 times a day");
    return {};
}

}  // namespace

result<recurrence> recurrence::parse(std::string_view text) {
    if (text.size() > recurrence_limits::text_bytes_max)
        return fail(errc::invalid, "RRULE: longer than 2048 bytes");
    recurrence rule;
    std::set<std::string_view> observed;
    while (!text.empty()) {
        const auto end = text.find(';');
        const auto part = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        const auto equals = part.find('=');
        if (equals == std::string_view::npos || equals + 1 == part.size())
            return wrong(part, "is not NAME=VALUE");
        const auto name = part.substr(0, equals);
        if (!observed.insert(name).second) return wrong(name, "stands twice");
        CHECK_OK(read_part(rule, name, part.substr(equals + 1)));
    }
    if (!observed.contains("FREQ")) return fail(errc::invalid, "RRULE: FREQ is missing");
    CHECK_OK(check(rule));
    return rule;
}

}  // namespace muster::windows
