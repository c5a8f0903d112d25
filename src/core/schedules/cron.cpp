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
// 29 February comes after eight years at the latest, and a weekday may have to fit, too.
constexpr days search_span{366 * 41};

constexpr std::array<std::string_view, 12> month_names{
    "JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"};
constexpr std::array<std::string_view, 7> day_names{
    "SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"};

struct field {
    std::string_view name;
    int least;
    int most;
    std::span<const std::string_view> words = {};  // the first means `least`
};

constexpr std::array<field, 5> fields{
    {{"minute", 0, 59},
     {"hour", 0, 23},
     {"day of the month", 1, 31},
     {"month", 1, 12, month_names},
     {"day of the week", 0, 7, day_names}}};

std::unexpected<error> wrong(const field& of, std::string_view text) {
    std::string sentence = "cron: '" + std::string(text.substr(0, 40)) + "' is no "
                           + std::string(of.name) + ": numbers from " + std::to_string(of.least)
                           + " to " + std::to_string(of.most);
    if (!of.words.empty()) sentence += " or names such as " + std::string(of.words.front());
    return fail(errc::invalid, sentence + ", as 1,5 or 1-5 or */2");
}

std::string capitals(std::string_view text) {
    std::string result(text);
    for (auto& each : result)
        if (each >= 'a' && each <= 'z') each = static_cast<char>(each - 'a' + 'A');
    return result;
}

std::optional<int> number(std::string_view text) {
    int value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size())
        return std::nullopt;
    return value;
}

std::optional<int> value_of(const field& of, std::string_view text) {
    const auto word = std::ranges::find(of.words, capitals(text));
    const auto value = word == of.words.end()
                           ? number(text)
                           : std::optional(of.least + static_cast<int>(word - of.words.begin()));
    if (!value || *value < of.least || *value > of.most) return std::nullopt;
    return value;
}

// "*", "5", "1-5", "*/2", "1-9/2", "5/10": one item of a list.
bool add_item(const field& of, std::string_view item, std::vector<int>& to) {
    const auto slash = item.find('/');
    const auto range = item.substr(0, slash);
    int step = 1;
    if (slash != std::string_view::npos) {
        const auto input = number(item.substr(slash + 1));
        if (!input || *input < 1 || *input > of.most) return false;
        step = *input;
    }
    std::optional<int> first;
    std::optional<int> last;
    if (range == "*") {
        first = of.least;
        last = of.most;
    } else {
        const auto dash = range.find('-');
        first = value_of(of, range.substr(0, dash));
        const bool open_end = dash == std::string_view::npos && slash != std::string_view::npos;
        last = dash != std::string_view::npos ? value_of(of, range.substr(dash + 1))
                                              : (open_end ? std::optional(of.most) : first);
    }
    if (!first || !last || *first > *last) return false;
    for (int each = *first; each <= *last; each += step) to.push_back(each);
    return true;
}

result<std::vector<int>> values_of(const field& of, std::string_view text) {
    std::vector<int> values;
    auto rest = text;
    while (true) {
        const auto comma = rest.find(',');
        if (!add_item(of, rest.substr(0, comma), values)) return wrong(of, text);
        if (comma == std::string_view::npos) return values;
        rest.remove_prefix(comma + 1);
    }
}

std::vector<std::string_view> words_of(std::string_view text) {
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

std::string_view expanded(std::string_view text) {
    if (text == "@hourly") return "0 * * * *";
    if (text == "@daily" || text == "@midnight") return "0 0 * * *";
    if (text == "@weekly") return "0 0 * * 0";
    if (text == "@monthly") return "0 0 1 * *";
    if (text == "@yearly" || text == "@annually") return "0 0 1 1 *";
    return text;
}

}  // namespace

result<cron> cron::parse(std::string_view text) {
    if (text.size() > text_bytes_max) return fail(errc::invalid, "cron: longer than 256 bytes");
    const auto words = words_of(expanded(text));
    if (words.size() != fields.size())
        return fail(
            errc::invalid,
            "cron: five fields are wanted (minute, hour, day of the month, month, day of the week) "
            "or @daily and the like");
    cron read;
    std::array<std::vector<int>, fields.size()> values;
    for (std::size_t each = 0; each < fields.size(); ++each) {
        TRY(values[each], values_of(fields[each], words[each]));
    }
    for (const int value : values[0]) read.minutes_.set(static_cast<std::size_t>(value));
    for (const int value : values[1]) read.hours_.set(static_cast<std::size_t>(value));
    for (const int value : values[2]) read.days_.set(static_cast<std::size_t>(value));
    for (const int value : values[3]) read.months_.set(static_cast<std::size_t>(value));
    for (const int value : values[4]) read.weekdays_.set(static_cast<std::size_t>(value % 7));
    read.any_hour_ = words[1].starts_with('*');
    read.any_day_ = words[2].starts_with('*');
    read.any_weekday_ = words[4].starts_with('*');
    return read;
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
    constexpr hours shift_max{3};  // what clocks go forth or back
    const auto reached = zone.local_of(after);
    std::optional<sys_seconds> first;
    const auto consider = [&](sys_seconds when) {
        if (when > after && (!first || when < *first)) first = when;
    };
    for (std::size_t hour = 0; hour < hours_.size(); ++hour) {
        if (!hours_.test(hour)) continue;
        if (day + hours(hour + 1) + shift_max < reached) continue;
        if (first && day + hours(hour) > zone.local_of(*first) + shift_max) break;
        for (std::size_t minute = 0; minute < minutes_.size(); ++minute) {
            if (!minutes_.test(minute)) continue;
            const local_seconds local_seconds = day + hours(hour) + minutes(minute);
            const auto when = zone.utc_of(local_seconds);
            consider(when);
            if (!any_hour_) continue;
            if (const auto again = zone.second_utc_of(local_seconds)) consider(*again);
        }
    }
    return first;
}

std::optional<sys_seconds> cron::next(sys_seconds after, const windows::time_zone& zone) const {
    // The day before, too: clocks that go back may show it again.
    const auto begin = floor<days>(zone.local_of(after)) - days(1);
    for (auto day = begin; day < begin + search_span; day += days(1)) {
        if (static_cast<int>(year_month_day(day).year()) >= windows::horizon_year) break;
        if (!matches(day)) continue;
        if (const auto match = first_of_day(day, after, zone)) return match;
    }
    return std::nullopt;
}

}  // namespace muster::schedules
