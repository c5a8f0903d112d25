#include "core/schedules/schedule.h"

#include "core/windows/tzif.h"
#include "tests/harness/system_zones.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace muster::schedules {
namespace {

using namespace std::chrono;
using namespace std::chrono_literals;

result<windows::time_zone_pointer> system_zone(std::string_view name) {
    const auto bytes = harness::zone_bytes(name);
    if (bytes.empty()) return fail(errc::not_found, std::string(name));
    return windows::parse_tzif(std::string(name), bytes);
}

timing timed(timing_text text) {
    const auto read = parse_timing(text, system_zone);
    REQUIRE_MESSAGE(read, read.error().detail());
    return *read;
}
timing cron_of(const std::string& text, const std::string& zone = "") {
    return timed({.at = {}, .cron = text, .rrule = {}, .zone = zone});
}

wall_time at(year_month_day day, seconds time = 0s) {
    return sys_days(day) + time;
}

std::vector<wall_time> runs(const timing& when, wall_time after, std::size_t count) {
    std::vector<wall_time> matches;
    auto next = next_run(when, after);
    while (next && matches.size() < count) {
        matches.push_back(*next);
        next = next_run(when, *next);
    }
    return matches;
}

TEST_CASE("a cron expression runs at its minutes, hours and days") {
    CHECK(
        runs(cron_of("30 2 * * SUN"), at(2026y / 11 / 16), 2)
        == std::vector{at(2026y / 11 / 22, 2h + 30min), at(2026y / 11 / 29, 2h + 30min)});
    CHECK(
        runs(cron_of("*/20 9-10 * jan-feb *"), at(2026y / 1 / 5, 9h + 20min), 3)
        == std::vector{
            at(2026y / 1 / 5, 9h + 40min), at(2026y / 1 / 5, 10h), at(2026y / 1 / 5, 10h + 20min)});
    CHECK(runs(cron_of("0 0 29 2 *"), at(2026y / 1 / 1), 1) == std::vector{at(2028y / 2 / 29)});
    CHECK(runs(cron_of("@monthly"), at(2026y / 1 / 1), 1) == std::vector{at(2026y / 2 / 1)});
    CHECK(runs(cron_of("0 0 * * 7"), at(2026y / 11 / 16), 1) == std::vector{at(2026y / 11 / 22)});
}

TEST_CASE("if both days are restricted, either may match") {
    CHECK(
        runs(cron_of("0 0 20 * MON"), at(2026y / 11 / 16), 2)
        == std::vector{at(2026y / 11 / 20), at(2026y / 11 / 23)});
}

TEST_CASE("a day that never comes has no run") {
    CHECK(runs(cron_of("0 0 31 2 *"), at(2026y / 1 / 1), 1).empty());
}

TEST_CASE("a fixed hour runs once on the days the clocks change") {
    const auto night = cron_of("30 2 * * *", "Europe/Berlin");

    CHECK(
        runs(night, at(2026y / 3 / 28, 12h), 2)
        == std::vector{at(2026y / 3 / 29, 1h + 30min), at(2026y / 3 / 30, 30min)});
    CHECK(
        runs(night, at(2026y / 10 / 24, 12h), 2)
        == std::vector{at(2026y / 10 / 25, 30min), at(2026y / 10 / 26, 1h + 30min)});
}

TEST_CASE("every hour goes on evenly over a change of the clocks") {
    for (const auto day : {2026y / March / 28, 2026y / October / 24}) {
        const auto match = runs(cron_of("0 * * * *", "Europe/Berlin"), at(day, 12h), 30);
        for (std::size_t each = 1; each < match.size(); ++each)
            CHECK(match[each] - match[each - 1] == 1h);
    }
}

TEST_CASE("a rule and a single time run, too") {
    const auto weekly = timed(
        {.at = {},
         .cron = {},
         .rrule = "DTSTART:20261116T220000 FREQ=WEEKLY;COUNT=2",
         .zone = "Europe/Berlin"});
    const auto single = timed({.at = "2026-11-16T22:00:00Z", .cron = {}, .rrule = {}, .zone = {}});

    CHECK(
        runs(weekly, at(2026y / 1 / 1), 5)
        == std::vector{at(2026y / 11 / 16, 21h), at(2026y / 11 / 23, 21h)});
    CHECK(runs(single, at(2026y / 1 / 1), 5) == std::vector{at(2026y / 11 / 16, 22h)});
    CHECK_FALSE(next_run(single, at(2026y / 11 / 16, 22h)));
}

TEST_CASE("what is no timing is refused with a reason") {
    const auto refused = [](timing_text text) {
        const auto read = parse_timing(text, system_zone);
        return read ? std::string() : read.error().detail();
    };
    for (const auto* const text :
         {"",
          "* * * *",
          "60 * * * *",
          "* 24 * * *",
          "* * 0 * *",
          "* * * 13 *",
          "* * * * 8",
          "5-1 * * * *",
          "*/0 * * * *",
          "1,,2 * * * *",
          "a * * * *",
          "* * * * MONDAY",
          "@reboot"})
        CHECK_FALSE(refused({.at = {}, .cron = text, .rrule = {}, .zone = {}}).empty());
    CHECK(
        refused({.at = {}, .cron = "0 24 * * *", .rrule = {}, .zone = {}})
        == "cron: invalid hour \"24\"; use numbers from 0 to 23, for example 1,5 or 1-5 or */2");
    CHECK_FALSE(refused({.at = {}, .cron = "@daily", .rrule = {}, .zone = "Mars/Base"}).empty());
    CHECK_FALSE(refused({.at = "tomorrow", .cron = {}, .rrule = {}, .zone = {}}).empty());
    CHECK_FALSE(refused({.at = {}, .cron = {}, .rrule = "FREQ=DAILY", .zone = {}}).empty());
}

TEST_CASE("a run is due once") {
    schedule_state nightly{.timing = cron_of("0 2 * * *"), .considered = at(2026y / 11 / 16)};

    CHECK_FALSE(find_due_run(nightly, at(2026y / 11 / 16, 1h)).run);
    const auto first = find_due_run(nightly, at(2026y / 11 / 16, 2h + 1s));
    CHECK(first.run == due_run{.planned = at(2026y / 11 / 16, 2h)});
    CHECK(first.next == at(2026y / 11 / 17, 2h));
    nightly.considered = first.considered;
    CHECK_FALSE(find_due_run(nightly, at(2026y / 11 / 16, 2h + 2s)).run);
}

TEST_CASE("missed runs are skipped or made up for by one, as the schedule says") {
    schedule_state nightly{.timing = cron_of("0 2 * * *"), .considered = at(2026y / 11 / 10)};
    const auto back = at(2026y / 11 / 16, 12h);

    const auto skipped = find_due_run(nightly, back);
    CHECK_FALSE(skipped.run);
    CHECK(skipped.missed == 7);
    nightly.missed = missed_runs::run_once;
    const auto made_up = find_due_run(nightly, back);
    CHECK(made_up.run == due_run{.planned = at(2026y / 11 / 16, 2h), .late = true});
    CHECK(made_up.missed == 6);
}

TEST_CASE("who was away for very long does not count for very long") {
    schedule_state often{
        .timing = cron_of("* * * * *"),
        .missed = missed_runs::run_once,
        .considered = at(2020y / 1 / 1)};
    const auto now = at(2026y / 11 / 16, 30s);

    const auto answer = find_due_run(often, now);

    CHECK(answer.run);
    CHECK(answer.considered == now);
    CHECK(answer.next == at(2026y / 11 / 16, 1min));
}

TEST_CASE("a schedule that is not active runs nothing and misses nothing") {
    const schedule_state paused{
        .timing = cron_of("0 2 * * *"), .active = false, .considered = at(2026y / 11 / 10)};

    const auto answer = find_due_run(paused, at(2026y / 11 / 16, 2h));

    CHECK_FALSE(answer.run);
    CHECK(answer.missed == 0);
    CHECK(answer.considered == at(2026y / 11 / 16, 2h));
}

TEST_CASE("a run outside of the window is skipped with a notice") {
    const auto notice =
        check_run_window(windows::window_schedule(), at(2026y / 11 / 16, 2h), "nightly patches");

    REQUIRE(notice);
    CHECK(
        notice->value_or("")
        == "schedule \"nightly patches\": run at 2026-11-16T02:00:00Z skipped: outside the "
           "maintenance window");
}

}  // namespace
}  // namespace muster::schedules
