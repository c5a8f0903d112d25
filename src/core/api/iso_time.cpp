#include "core/api/iso_time.h"

#include <array>
#include <charconv>
#include <cstdio>

namespace muster::api {
namespace {

using namespace std::chrono;

constexpr std::size_t fraction_digits_max = 6;
constexpr int year_max = 9999;

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

std::string to_iso_time(wall_time moment) {
    const auto day = floor<days>(moment);
    const year_month_day date(day);
    const hh_mm_ss time(floor<seconds>(moment - day));
    std::array<char, 40> text{};
    if (int(date.year()) > year_max) return "9999-12-31T23:59:59Z";
    const int size = std::snprintf(
        text.data(),
        text.size(),
        "%04d-%02u-%02uT%02d:%02d:%02dZ",
        int(date.year()),
        unsigned(date.month()),
        unsigned(date.day()),
        static_cast<int>(time.hours().count()),
        static_cast<int>(time.minutes().count()),
        static_cast<int>(time.seconds().count()));
    return {text.data(), static_cast<std::size_t>(size)};
}

}  // namespace muster::api
