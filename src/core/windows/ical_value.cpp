#include "core/windows/ical_value.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

namespace muster::windows {
namespace {

using std::chrono::day;
using std::chrono::days;
using std::chrono::hours;
using std::chrono::local_days;
using std::chrono::minutes;
using std::chrono::month;
using std::chrono::year;

constexpr int duration_number_digits_max = 7;

std::unexpected<error> invalid_value(std::string_view text, std::string_view expected) {
    constexpr std::size_t length_max = 40;
    return fail(
        errc::invalid,
        "'" + std::string(text.substr(0, length_max)) + "' is not " + std::string(expected));
}

bool is_digit(char letter) {
    return letter >= '0' && letter <= '9';
}

// The number written with exactly these digits; the caller checks the length.
std::optional<int> parse_digits(std::string_view text) {
    if (!std::ranges::all_of(text, is_digit)) return std::nullopt;
    int value = 0;
    for (const char digit : text) value = value * 10 + (digit - '0');
    return value;
}

std::optional<local_days> parse_date(std::string_view text) {
    if (text.size() != 8) return std::nullopt;
    const auto y = parse_digits(text.substr(0, 4));
    const auto m = parse_digits(text.substr(4, 2));
    const auto d = parse_digits(text.substr(6, 2));
    if (!y || !m || !d) return std::nullopt;
    const auto parsed =
        year(*y) / month(static_cast<unsigned>(*m)) / day(static_cast<unsigned>(*d));
    if (!parsed.ok() || *y < 1600 || *y > horizon_year) return std::nullopt;
    return local_days(parsed);
}

std::optional<seconds> parse_time_of_day(std::string_view text) {
    if (text.size() != 6) return std::nullopt;
    const auto h = parse_digits(text.substr(0, 2));
    const auto m = parse_digits(text.substr(2, 2));
    const auto s = parse_digits(text.substr(4, 2));
    if (!h || !m || !s || *h > 23 || *m > 59 || *s > 60) return std::nullopt;
    return hours(*h) + minutes(*m) + seconds(std::min(*s, 59));
}

}  // namespace

result<ical_moment> parse_moment(std::string_view text) {
    constexpr auto expected =
        "a date (20261116) or a time (20261116T220000, or with Z for UTC) before 2101";
    if (const auto day = parse_date(text)) return ical_moment{.at = *day, .whole_day = true};
    if (text.size() < 15 || text[8] != 'T') return invalid_value(text, expected);
    const auto day = parse_date(text.substr(0, 8));
    const auto time = parse_time_of_day(text.substr(9, 6));
    const auto rest = text.substr(15);
    if (!day || !time || (!rest.empty() && rest != "Z")) return invalid_value(text, expected);
    return ical_moment{.at = *day + *time, .utc = rest == "Z"};
}

result<ical_duration> parse_duration(std::string_view text) {
    constexpr auto expected = "a duration such as PT4H, P1D or P1DT30M";
    auto rest = text;
    if (rest.starts_with('+')) rest.remove_prefix(1);
    if (!rest.starts_with('P')) return invalid_value(text, expected);
    rest.remove_prefix(1);
    constexpr std::string_view units = "WDTHMS";
    std::size_t next_unit = 0;  // index in `units`: each unit at most once, in this order
    bool has_value = false;
    ical_duration duration;
    while (!rest.empty()) {
        const auto* const end = std::ranges::find_if_not(rest, is_digit);
        const auto length = static_cast<std::size_t>(end - rest.begin());
        if (end == rest.end() || length > duration_number_digits_max)
            return invalid_value(text, expected);
        const auto unit = units.find(*end, next_unit);
        const bool has_number = length > 0;
        if (unit == std::string_view::npos || has_number == (*end == 'T'))
            return invalid_value(text, expected);
        if (unit > 2 && next_unit < 3)
            return invalid_value(text, expected);  // hours without their T
        const int value = parse_digits(rest.substr(0, length)).value_or(0);
        switch (*end) {
            case 'W':
                duration.days += days(7 * value);
                break;
            case 'D':
                duration.days += days(value);
                break;
            case 'H':
                duration.time += hours(value);
                break;
            case 'M':
                duration.time += minutes(value);
                break;
            case 'S':
                duration.time += seconds(value);
                break;
            default:
                break;
        }
        has_value = has_number;
        next_unit = unit + 1;
        rest.remove_prefix(length + 1);
    }
    if (!has_value) return invalid_value(text, expected);
    return duration;
}

result<seconds> parse_offset(std::string_view text) {
    const bool valid_size = text.size() == 5 || text.size() == 7;
    if (!valid_size || (text.front() != '+' && text.front() != '-'))
        return invalid_value(text, "an offset such as +0100");
    const auto time =
        parse_time_of_day(std::string(text.substr(1)) + (text.size() == 5 ? "00" : ""));
    if (!time) return invalid_value(text, "an offset such as +0100");
    return text.front() == '-' ? -*time : *time;
}

std::string unescape(std::string_view text) {
    std::string plain;
    for (std::size_t index = 0; index < text.size(); ++index) {
        if (text[index] != '\\' || index + 1 == text.size()) {
            plain += text[index];
            continue;
        }
        const char next = text[++index];
        plain += next == 'n' || next == 'N' ? '\n' : next;
    }
    return plain;
}

}  // namespace muster::windows
