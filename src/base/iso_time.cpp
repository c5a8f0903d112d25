#include "base/iso_time.h"

#include <algorithm>
#include <charconv>
#include <cstddef>

namespace muster {
namespace {

using namespace std::chrono;

constexpr std::size_t fraction_digits_max = 6;
constexpr wall_time earliest = sys_days(year(0) / January / 1);
constexpr wall_time latest =
    wall_time(sys_days(year(10'000) / January / 1)) - wall_time::duration(1);

// Removes a number of `digits` digits and the delimiter behind it from the start of `text`.
std::optional<int> parse_digits(std::string_view& text, std::size_t digits, char delimiter) {
    if (text.size() < digits + 1 || text[digits] != delimiter) return std::nullopt;
    int number = 0;
    const auto* end = text.data() + digits;
    const auto [stopped, failure] = std::from_chars(text.data(), end, number);
    if (failure != std::errc() || stopped != end || number < 0 || text.front() == '-')
        return std::nullopt;
    text.remove_prefix(digits + 1);
    return number;
}

std::optional<microseconds> parse_fraction(std::string_view& text) {
    const auto digits = text.find('Z');
    if (digits == std::string_view::npos || digits == 0 || digits > fraction_digits_max)
        return std::nullopt;
    const auto number = parse_digits(text, digits, 'Z');
    if (!number) return std::nullopt;
    auto scaled = *number;
    for (auto place = digits; place < fraction_digits_max; ++place) scaled *= 10;
    return microseconds(scaled);
}

void append_digits(std::string& out, std::size_t digits, std::int64_t number) {
    out.append(digits, '0');
    for (auto position = out.size(); number > 0; number /= 10)
        out[--position] = static_cast<char>('0' + number % 10);
}

void append_fraction(std::string& out, microseconds fraction, iso_precision precision) {
    switch (precision) {
        case iso_precision::seconds:
            return;
        case iso_precision::milliseconds:
            out += '.';
            return append_digits(out, 3, fraction.count() / 1000);
        case iso_precision::microseconds:
            out += '.';
            return append_digits(out, 6, fraction.count());
    }
}

}  // namespace

std::optional<wall_time> parse_iso_time(std::string_view text) {
    const auto years = parse_digits(text, 4, '-');
    const auto months = years ? parse_digits(text, 2, '-') : std::nullopt;
    const auto days = months ? parse_digits(text, 2, 'T') : std::nullopt;
    const auto hour = days ? parse_digits(text, 2, ':') : std::nullopt;
    const auto minute = hour ? parse_digits(text, 2, ':') : std::nullopt;
    if (!minute || text.size() < 3) return std::nullopt;
    const bool with_fraction = text[2] == '.';
    const auto second = parse_digits(text, 2, with_fraction ? '.' : 'Z');
    const auto fraction =
        second && with_fraction ? parse_fraction(text) : std::optional(microseconds::zero());
    if (!second || !fraction || !text.empty()) return std::nullopt;
    const year_month_day day{
        year(*years),
        month(static_cast<unsigned>(*months)),
        std::chrono::day(static_cast<unsigned>(*days))};
    if (!day.ok() || *hour > 23 || *minute > 59 || *second > 59) return std::nullopt;
    return wall_time(sys_days(day)) + hours(*hour) + minutes(*minute) + seconds(*second)
           + *fraction;
}

std::string iso_time(wall_time moment, iso_precision precision) {
    moment = std::clamp(moment, earliest, latest);
    const auto day = floor<days>(moment);
    const year_month_day date(day);
    const hh_mm_ss time(moment - day);
    std::string text;
    text.reserve(sizeof("2026-11-16T22:00:00.000000Z"));
    append_digits(text, 4, int(date.year()));
    text += '-';
    append_digits(text, 2, unsigned(date.month()));
    text += '-';
    append_digits(text, 2, unsigned(date.day()));
    text += 'T';
    append_digits(text, 2, time.hours().count());
    text += ':';
    append_digits(text, 2, time.minutes().count());
    text += ':';
    append_digits(text, 2, time.seconds().count());
    append_fraction(text, time.subseconds(), precision);
    text += 'Z';
    return text;
}

}  // namespace muster
