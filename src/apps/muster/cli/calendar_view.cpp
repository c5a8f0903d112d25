#include "apps/muster/cli/calendar_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace muster::cli {
namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::hh_mm_ss;
using std::chrono::last;
using std::chrono::local_days;
using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::weekday;
using std::chrono::year_month;
using std::chrono::year_month_day;
using windows::local_seconds;
using windows::window;

constexpr std::array<const char*, 12> month_names{
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December"};
constexpr std::array<const char*, 7> day_names{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
constexpr int half_hours = 48;

local_seconds to_local(const calendar_page& page, wall_time time) {
    return page.zone->to_local(floor<seconds>(time));
}

unsigned column_of(local_days day) {
    return weekday(day).iso_encoding() - 1;
}

bool overlaps(
    const calendar_page& page, const window& window, local_seconds start, local_seconds end) {
    return to_local(page, window.opens) < end && to_local(page, window.closes) > start;
}

bool opens_on(const calendar_page& page, const window& window, local_days day) {
    return floor<days>(to_local(page, window.opens)) == day;
}

// '*': a window opens on this day; '+': a window continues.
char mark_of(const calendar_page& page, local_days day) {
    char mark = ' ';
    for (const auto& window : page.windows) {
        if (opens_on(page, window, day)) return '*';
        if (overlaps(page, window, day, day + days(1))) mark = '+';
    }
    return mark;
}

std::string clock_text(local_seconds time) {
    const hh_mm_ss time_of_day(time - floor<days>(time));
    return fmt::format("{:02}:{:02}", time_of_day.hours().count(), time_of_day.minutes().count());
}

std::string window_line(const calendar_page& page, const window& window) {
    const auto opens = to_local(page, window.opens);
    const auto closes = to_local(page, window.closes);
    const auto first = floor<days>(opens);
    const auto days_later = (floor<days>(closes) - first).count();
    const year_month_day date(first);
    return fmt::format(
        "{:>3} {}  {}-{}{}\n",
        static_cast<unsigned>(date.day()),
        day_names.at(column_of(first)),
        clock_text(opens),
        clock_text(closes),
        days_later == 0 ? "" : fmt::format(" (+{})", days_later));
}

std::string heading(year_month month, const calendar_page& page) {
    return fmt::format(
        "{} {}, {}\n",
        month_names.at(static_cast<unsigned>(month.month()) - 1),
        static_cast<int>(month.year()),
        page.zone->name());
}

}  // namespace

std::string month_view(const calendar_page& page, year_month month) {
    auto text = heading(month, page);
    for (const auto* const name : day_names) text += fmt::format("{:>5} ", name);
    const local_days first(month / 1);
    const local_days end(local_days(month / last) + days(1));
    const auto today = floor<days>(to_local(page, page.now));
    text += "\n" + std::string(6 * column_of(first), ' ');
    for (auto day = first; day < end; day += days(1)) {
        const auto number = static_cast<unsigned>(year_month_day(day).day());
        const auto cell = fmt::format("{}{}", number, mark_of(page, day));
        text += fmt::format("{:>6}", day == today ? "[" + cell + "]" : cell + " ");
        if (column_of(day) == 6 && day + days(1) < end) text += "\n";
    }
    text += "\n\n";
    bool has_windows = false;
    for (const auto& window : page.windows) {
        if (!overlaps(page, window, first, end)) continue;
        text += window_line(page, window);
        has_windows = true;
    }
    return text + (has_windows ? "" : "no windows in this month\n");
}

std::string week_view(const calendar_page& page, local_days day) {
    const auto monday = day - days(column_of(day));
    const year_month_day date(monday);
    auto text = heading(date.year() / date.month(), page) + std::string(8, ' ');
    for (int hour = 0; hour < 24; hour += 3) text += fmt::format("{:<6}", hour);
    const auto today = floor<days>(to_local(page, page.now));
    for (auto weekday_date = monday; weekday_date < monday + days(7); weekday_date += days(1)) {
        const auto number = static_cast<unsigned>(year_month_day(weekday_date).day());
        text += fmt::format(
            "\n{} {:>2}{} ",
            day_names.at(column_of(weekday_date)),
            number,
            weekday_date == today ? "<" : " ");
        for (int half = 0; half < half_hours; ++half) {
            const auto start = weekday_date + minutes(30 * half);
            const bool is_open = std::ranges::any_of(page.windows, [&](const window& window) {
                return overlaps(page, window, start, start + minutes(30));
            });
            text += is_open ? '#' : '.';
        }
    }
    return text + "\n";
}

}  // namespace muster::cli
