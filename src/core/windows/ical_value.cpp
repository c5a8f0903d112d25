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

std::unexpected<error> wrong(std::string_view text, std::string_view desired) {
    constexpr std::size_t shown_max = 40;
    return fail(
        errc::invalid,
        "'" + std::string(text.substr(0, shown_max)) + "' is not " + std::string(desired));
}

bool is_digit(char letter) {
    return letter >= '0' && letter <= '9';
}

// Exactly these digits; the caller has seen that there are enough.
std::optional<int> digits(std::string_view text) {
    if (!std::ranges::all_of(text, is_digit)) return std::nullopt;
    int value = 0;
    for (const char each : text) value = value * 10 + (each - '0');
    return value;
}

std::optional<local_days> date(std::string_view text) {
    if (text.size() != 8) return std::nullopt;
    const auto y = digits(text.substr(0, 4));
    const auto m = digits(text.substr(4, 2));
    const auto d = digits(text.substr(6, 2));
    if (!y || !m || !d) return std::nullopt;
    const auto read = year(*y) / month(static_cast<unsigned>(*m)) / day(static_cast<unsigned>(*d));
    if (!read.ok() || *y < 1600 || *y > horizon_year) return std::nullopt;
    return local_days(read);
}

std::optional<seconds> time_of_day(std::string_view text) {
    if (text.size() != 6) return std::nullopt;
    const auto h = digits(text.substr(0, 2));
    const auto m = digits(text.substr(2, 2));
    const auto s = digits(text.substr(4, 2));
    if (!h || !m || !s || *h > 23 || *m > 59 || *s > 60) return std::nullopt;
    return hours(*h) + minutes(*m) + seconds(std::min(*s, 59));
}

}  // namespace

result<ical_moment> parse_moment(std::string_view text) {
    constexpr auto desired =
        "a date (20261116) or a time (20261116T220000, or with Z for UTC) before 2101";
    if (const auto day = date(text)) return ical_moment{.at = *day, .whole_day = true};
    if (text.size() < 15 || text[8] != 'T') return wrong(text, desired);
    const auto day = date(text.substr(0, 8));
    const auto time = time_of_day(text.substr(9, 6));
    const auto rest = text.substr(15);
    if (!day || !time || (!rest.empty() && rest != "Z")) return wrong(text, desired);
    return ical_moment{.at = *day + *time, .utc = rest == "Z"};
}

result<ical_duration> parse_duration(std::string_view text) {
    constexpr auto desired = "a duration such as PT4H, P1D or P1DT30M";
    auto rest = text;
    if (rest.starts_with('+')) rest.remove_prefix(1);
    if (!rest.starts_with('P')) return wrong(text, desired);
    rest.remove_prefix(1);
    constexpr std::string_view units = "WDTHMS";
    std::size_t least = 0;  // units come in this order, each once
    bool any = false;
    ical_duration read;
    while (!rest.empty()) {
        const auto* const end = std::ranges::find_if_not(rest, is_digit);
        const auto length = static_cast<std::size_t>(end - rest.begin());
        if (end == rest.end() || length > duration_number_digits_max) return wrong(text, desired);
        const auto unit = units.find(*end, least);
        const bool numbered = length > 0;
        if (unit == std::string_view::npos || numbered == (*end == 'T'))
            return wrong(text, desired);
        if (unit > 2 && least < 3) return wrong(text, desired);  // hours without their T
        const int value = digits(rest.substr(0, length)).value_or(0);
        switch (*end) {
            case 'W':
                read.days += days(7 * value);
                break;
            case 'D':
                read.days += days(value);
                break;
            case 'H':
                read.time += hours(value);
                break;
            case 'M':
                read.time += minutes(value);
                break;
            case 'S':
                read.time += seconds(value);
                break;
            default:
                break;
        }
        any = numbered;
        least = unit + 1;
        rest.remove_prefix(length + 1);
    }
    if (!any) return wrong(text, desired);
    return read;
}

result<seconds> parse_offset(std::string_view text) {
    const bool sized = text.size() == 5 || text.size() == 7;
    if (!sized || (text.front() != '+' && text.front() != '-'))
        return wrong(text, "an offset such as +0100");
    const auto time = time_of_day(std::string(text.substr(1)) + (text.size() == 5 ? "00" : ""));
    if (!time) return wrong(text, "an offset such as +0100");
    return text.front() == '-' ? -*time : *time;
}

std::string unescaped(std::string_view text) {
    std::string plain;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '\\' || at + 1 == text.size()) {
            plain += text[at];
            continue;
        }
        const char next = text[++at];
        plain += next == 'n' || next == 'N' ? '\n' : next;
    }
    return plain;
}

}  // namespace muster::windows
