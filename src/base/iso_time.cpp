#include "base/iso_time.h"

#include <algorithm>
#include <charconv>
#include <cstddef>

namespace muster {
namespace {

using namespace std::chrono;

constexpr std::size_t fraction_digits_max = 6;
constexpr wall_time first = sys_days(year(0) / January / 1);
constexpr wall_time last = wall_time(sys_days(year(10'000) / January / 1)) - wall_time::duration(1);

// Takes so many digits and what follows them off the text.
std::optional<int> take(std::string_view& text, std::size_t digits, char then) {
    if (text.size() < digits + 1 || text[digits] != then) return std::nullopt;
    int number = 0;
    const auto* end = text.data() + digits;
    const auto [stopped, failure] = std::from_chars(text.data(), end, number);
    if (failure != std::errc() || stopped != end || number < 0 || text.front() == '-')
        return std::nullopt;
    text.remove_prefix(digits + 1);
    return number;
}

std::optional<microseconds> take_fraction(std::string_view& text) {
    const auto digits = text.find('Z');
    if (digits == std::string_view::npos || digits == 0 || digits > fraction_digits_max)
        return std::nullopt;
    const auto read = take(text, digits, 'Z');
    if (!read) return std::nullopt;
    auto scaled = *read;
    for (auto at = digits; at < fraction_digits_max; ++at) scaled *= 10;
    return microseconds(scaled);
}

void put(std::string& to, std::size_t digits, std::int64_t number) {
    to.append(digits, '0');
    for (auto at = to.size(); number > 0; number /= 10)
        to[--at] = static_cast<char>('0' + number % 10);
}

void put_fraction(std::string& to, microseconds rest, iso_precision precision) {
    switch (precision) {
        case iso_precision::seconds:
            return;
        case iso_precision::milliseconds:
            to += '.';
            return put(to, 3, rest.count() / 1000);
        case iso_precision::microseconds:
            to += '.';
            return put(to, 6, rest.count());
    }
}

}  // namespace

std::optional<wall_time> parse_iso_time(std::string_view text) {
    const auto years = take(text, 4, '-');
    const auto months = years ? take(text, 2, '-') : std::nullopt;
    const auto days = months ? take(text, 2, 'T') : std::nullopt;
    const auto hour = days ? take(text, 2, ':') : std::nullopt;
    const auto minute = hour ? take(text, 2, ':') : std::nullopt;
    if (!minute || text.size() < 3) return std::nullopt;
    const bool with_fraction = text[2] == '.';
    const auto second = take(text, 2, with_fraction ? '.' : 'Z');
    const auto rest =
        second && with_fraction ? take_fraction(text) : std::optional(microseconds::zero());
    if (!second || !rest || !text.empty()) return std::nullopt;
    const year_month_day day{
        year(*years),
        month(static_cast<unsigned>(*months)),
        std::chrono::day(static_cast<unsigned>(*days))};
    if (!day.ok() || *hour > 23 || *minute > 59 || *second > 59) return std::nullopt;
    return wall_time(sys_days(day)) + hours(*hour) + minutes(*minute) + seconds(*second) + *rest;
}

std::string iso_time(wall_time moment, iso_precision precision) {
    moment = std::clamp(moment, first, last);
    const auto day = floor<days>(moment);
    const year_month_day date(day);
    const hh_mm_ss time(moment - day);
    std::string text;
    text.reserve(sizeof("2026-11-16T22:00:00.000000Z"));
    put(text, 4, int(date.year()));
    text += '-';
    put(text, 2, unsigned(date.month()));
    text += '-';
    put(text, 2, unsigned(date.day()));
    text += 'T';
    put(text, 2, time.hours().count());
    text += ':';
    put(text, 2, time.minutes().count());
    text += ':';
    put(text, 2, time.seconds().count());
    put_fraction(text, time.subseconds(), precision);
    text += 'Z';
    return text;
}

}  // namespace muster
