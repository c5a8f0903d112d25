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

local_seconds shown(const calendar_page& page, wall_time when) {
    return page.zone->local_of(floor<seconds>(when));
}

unsigned column_of(local_days day) {
    return weekday(day).iso_encoding() - 1;
}

bool touches(
    const calendar_page& page, const window& window, local_seconds from, local_seconds to) {
    return shown(page, window.opens) < to && shown(page, window.closes) > from;
}

bool opens_on(const calendar_page& page, const window& window, local_days day) {
    return floor<days>(shown(page, window.opens)) == day;
}

// '*': a window opens on this day; '+': one goes on from before.
char mark_of(const calendar_page& page, local_days day) {
    char mark = ' ';
    for (const auto& each : page.windows) {
        if (opens_on(page, each, day)) return '*';
        if (touches(page, each, day, day + days(1))) mark = '+';
    }
    return mark;
}

std::string clock_text(local_seconds when) {
    const hh_mm_ss of_day(when - floor<days>(when));
    return fmt::format("{:02}:{:02}", of_day.hours().count(), of_day.minutes().count());
}

std::string window_line(const calendar_page& page, const window& window) {
    const auto opens = shown(page, window.opens);
    const auto closes = shown(page, window.closes);
    const auto first = floor<days>(opens);
    const auto later = (floor<days>(closes) - first).count();
    const year_month_day date(first);
    return fmt::format(
        "{:>3} {}  {}-{}{}\n",
        static_cast<unsigned>(date.day()),
        day_names.at(column_of(first)),
        clock_text(opens),
        clock_text(closes),
        later == 0 ? "" : fmt::format(" (+{})", later));
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
    const auto today = floor<days>(shown(page, page.now));
    text += "\n" + std::string(6 * column_of(first), ' ');
    for (auto day = first; day < end; day += days(1)) {
        const auto number = static_cast<unsigned>(year_month_day(day).day());
        const auto cell = fmt::format("{}{}", number, mark_of(page, day));
        text += fmt::format("{:>6}", day == today ? "[" + cell + "]" : cell + " ");
        if (column_of(day) == 6 && day + days(1) < end) text += "\n";
    }
    text += "\n\n";
    bool any = false;
    for (const auto& each : page.windows) {
        if (!touches(page, each, first, end)) continue;
        text += window_line(page, each);
        any = true;
    }
    return text + (any ? "" : "no windows in this month\n");
}

std::string week_view(const calendar_page& page, local_days day) {
    const auto monday = day - days(column_of(day));
    const year_month_day date(monday);
    auto text = heading(date.year() / date.month(), page) + std::string(8, ' ');
    for (int hour = 0; hour < 24; hour += 3) text += fmt::format("{:<6}", hour);
    const auto today = floor<days>(shown(page, page.now));
    for (auto each = monday; each < monday + days(7); each += days(1)) {
        const auto number = static_cast<unsigned>(year_month_day(each).day());
        text += fmt::format(
            "\n{} {:>2}{} ", day_names.at(column_of(each)), number, each == today ? "<" : " ");
        for (int half = 0; half < half_hours; ++half) {
            const auto from = each + minutes(30 * half);
            const bool open = std::ranges::any_of(page.windows, [&](const window& window) {
                return touches(page, window, from, from + minutes(30));
            });
            text += open ? '#' : '.';
        }
    }
    return text + "\n";
}

}  // namespace muster::cli
