#include "core/schedules/cron.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <vector>

namespace muster::schedules {
namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::hours;
using std::chrono::local_days;
using std::chrono::minutes;
using std::chrono::weekday;
using std::chrono::year_month_day;
using windows::local_seconds;
using windows::sys_seconds;

constexpr std::size_t text_bytes_max = 256;
// 29 February comes at least every eight years, and a weekday may have to match, too.
constexpr days search_span{366 * 41};

constexpr std::array<std::string_view, 12> month_names{
    "JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"};
constexpr std::array<std::string_view, 7> day_names{
    "SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"};

struct field {
    std::string_view name;
    int min;
    int max;
    std::span<const std::string_view> words = {};  // the first word means `min`
};

constexpr std::array<field, 5> fields{
    {{"minute", 0, 59},
     {"hour", 0, 23},
     {"day of the month", 1, 31},
     {"month", 1, 12, month_names},
     {"day of the week", 0, 7, day_names}}};

std::unexpected<error> invalid_field(const field& spec, std::string_view text) {
    std::string message = "cron: invalid " + std::string(spec.name) + " \""
                          + std::string(text.substr(0, 40)) + "\"; use numbers from "
                          + std::to_string(spec.min) + " to " + std::to_string(spec.max);
    if (!spec.words.empty()) message += " or names such as " + std::string(spec.words.front());
    return fail(errc::invalid, message + ", for example 1,5 or 1-5 or */2");
}

std::string to_upper(std::string_view text) {
    std::string result(text);
    for (auto& letter : result)
        if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
    return result;
}

std::optional<int> parse_number(std::string_view text) {
    int value = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || parsed.ec != std::errc() || parsed.ptr != text.data() + text.size())
        return std::nullopt;
    return value;
}

std::optional<int> parse_value(const field& spec, std::string_view text) {
    const auto word = std::ranges::find(spec.words, to_upper(text));
    const auto value = word == spec.words.end()
                           ? parse_number(text)
                           : std::optional(spec.min + static_cast<int>(word - spec.words.begin()));
    if (!value || *value < spec.min || *value > spec.max) return std::nullopt;
    return value;
}

// "*", "5", "1-5", "*/2", "1-9/2", "5/10": one item of a list.
bool add_item(const field& spec, std::string_view item, std::vector<int>& values) {
    const auto slash = item.find('/');
    const auto range = item.substr(0, slash);
    int step = 1;
    if (slash != std::string_view::npos) {
        const auto parsed_step = parse_number(item.substr(slash + 1));
        if (!parsed_step || *parsed_step < 1 || *parsed_step > spec.max) return false;
        step = *parsed_step;
    }
    std::optional<int> first;
    std::optional<int> last;
    if (range == "*") {
        first = spec.min;
        last = spec.max;
    } else {
        const auto dash = range.find('-');
        first = parse_value(spec, range.substr(0, dash));
        const bool open_end = dash == std::string_view::npos && slash != std::string_view::npos;
        last = dash != std::string_view::npos ? parse_value(spec, range.substr(dash + 1))
                                              : (open_end ? std::optional(spec.max) : first);
    }
    if (!first || !last || *first > *last) return false;
    for (int value = *first; value <= *last; value += step) values.push_back(value);
    return true;
}

result<std::vector<int>> parse_values(const field& spec, std::string_view text) {
    std::vector<int> values;
    auto rest = text;
    while (true) {
        const auto comma = rest.find(',');
        if (!add_item(spec, rest.substr(0, comma), values)) return invalid_field(spec, text);
        if (comma == std::string_view::npos) return values;
        rest.remove_prefix(comma + 1);
    }
}

std::vector<std::string_view> split_words(std::string_view text) {
    std::vector<std::string_view> words;
    while (true) {
        const auto begin = text.find_first_not_of(" \t");
        if (begin == std::string_view::npos) return words;
        text.remove_prefix(begin);
        const auto end = std::min(text.find_first_of(" \t"), text.size());
        words.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
}

std::string_view expand_alias(std::string_view text) {
    if (text == "@hourly") return "0 * * * *";
    if (text == "@daily" || text == "@midnight") return "0 0 * * *";
    if (text == "@weekly") return "0 0 * * 0";
    if (text == "@monthly") return "0 0 1 * *";
    if (text == "@yearly" || text == "@annually") return "0 0 1 1 *";
    return text;
}

}  // namespace

result<cron> cron::parse(std::string_view text) {
    if (text.size() > text_bytes_max)
        return fail(errc::invalid, "cron: expression is longer than 256 bytes");
    const auto words = split_words(expand_alias(text));
    if (words.size() != fields.size())
        return fail(
            errc::invalid,
            "cron: expected five fields (minute, hour, day of the month, month, day of the week) "
            "or a shorthand such as @daily");
    cron expression;
    std::array<std::vector<int>, fields.size()> values;
    for (std::size_t index = 0; index < fields.size(); ++index) {
        TRY(values[index], parse_values(fields[index], words[index]));
    }
    for (const int value : values[0]) expression.minutes_.set(static_cast<std::size_t>(value));
    for (const int value : values[1]) expression.hours_.set(static_cast<std::size_t>(value));
    for (const int value : values[2]) expression.days_.set(static_cast<std::size_t>(value));
    for (const int value : values[3]) expression.months_.set(static_cast<std::size_t>(value));
    for (const int value : values[4]) expression.weekdays_.set(static_cast<std::size_t>(value % 7));
    expression.any_hour_ = words[1].starts_with('*');
    expression.any_day_ = words[2].starts_with('*');
    expression.any_weekday_ = words[4].starts_with('*');
    return expression;
}

bool cron::matches(local_days day) const {
    const year_month_day date(day);
    if (!months_.test(static_cast<unsigned>(date.month()))) return false;
    const bool by_day = days_.test(static_cast<unsigned>(date.day()));
    const bool by_weekday = weekdays_.test(weekday(day).c_encoding());
    return any_day_ || any_weekday_ ? by_day && by_weekday : by_day || by_weekday;
}

std::optional<sys_seconds> cron::first_of_day(
    local_days day, sys_seconds after, const windows::time_zone& zone) const {
    constexpr hours shift_max{3};  // upper bound of a clock change
    const auto local_after = zone.to_local(after);
    std::optional<sys_seconds> first;
    const auto consider = [&](sys_seconds time) {
        if (time > after && (!first || time < *first)) first = time;
    };
    for (std::size_t hour = 0; hour < hours_.size(); ++hour) {
        if (!hours_.test(hour)) continue;
        if (day + hours(hour + 1) + shift_max < local_after) continue;
        if (first && day + hours(hour) > zone.to_local(*first) + shift_max) break;
        for (std::size_t minute = 0; minute < minutes_.size(); ++minute) {
            if (!minutes_.test(minute)) continue;
            const local_seconds local = day + hours(hour) + minutes(minute);
            const auto time = zone.to_utc(local);
            consider(time);
            if (!any_hour_) continue;
            if (const auto second = zone.to_second_utc(local)) consider(*second);
        }
    }
    return first;
}

std::optional<sys_seconds> cron::next(sys_seconds after, const windows::time_zone& zone) const {
    // Includes the day before, because clocks that go back show its times again.
    const auto begin = floor<days>(zone.to_local(after)) - days(1);
    for (auto day = begin; day < begin + search_span; day += days(1)) {
        if (static_cast<int>(year_month_day(day).year()) >= windows::horizon_year) break;
        if (!matches(day)) continue;
        if (const auto time = first_of_day(day, after, zone)) return time;
    }
    return std::nullopt;
}

}  // namespace muster::schedules
