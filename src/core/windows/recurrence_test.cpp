#include "core/windows/recurrence.h"

#include "core/windows/ical_value.h"
#include "core/windows/recurrence_walk.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace muster::windows {
namespace {

using namespace std::chrono;
using namespace std::chrono_literals;

// The days of the month on which the rule falls.
std::vector<unsigned> days_of(const char* rule, const char* start, std::size_t count) {
    const auto parsed = recurrence::parse(rule);
    REQUIRE_MESSAGE(parsed, parsed.error().detail());
    const auto begin = parse_moment(start)->at;
    recurrence_walk walk(
        *parsed, *time_zone::utc(), begin, {.from = begin, .to = local_days(2050y / 1 / 1)});
    std::vector<unsigned> matches;
    while (matches.size() < count) {
        const auto each = walk.next();
        if (!each) break;
        matches.push_back(static_cast<unsigned>(year_month_day(floor<days>(*each)).day()));
    }
    return matches;
}

std::string complaint(const char* rule) {
    const auto parsed = recurrence::parse(rule);
    return parsed ? "" : parsed.error().detail();
}

TEST_CASE("a patch night is the second Tuesday of every month") {
    CHECK(
        days_of("FREQ=MONTHLY;BYDAY=2TU", "20260113T220000", 4)
        == std::vector<unsigned>{13, 10, 10, 14});
}

TEST_CASE("the last working day of a month is a position counted from its end") {
    CHECK(
        days_of("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", "20260130T220000", 4)
        == std::vector<unsigned>{30, 27, 31, 30});
}

TEST_CASE("a month without the day is passed over") {
    CHECK(days_of("FREQ=MONTHLY", "20260131T000000", 3) == std::vector<unsigned>{31, 31, 31});
    CHECK(days_of("FREQ=YEARLY", "20240229T000000", 2) == std::vector<unsigned>{29, 29});
}

TEST_CASE("COUNT and UNTIL end a rule, and the first time counts") {
    CHECK(days_of("FREQ=DAILY;COUNT=3", "20260101T000000", 9) == std::vector<unsigned>{1, 2, 3});
    CHECK(days_of("FREQ=DAILY;UNTIL=20260103", "20260101T220000", 9).size() == 3);
    CHECK(days_of("FREQ=DAILY;UNTIL=20260103T210000", "20260101T220000", 9).size() == 2);
}

TEST_CASE("the first time belongs to the rule also when the rule would not give it") {
    CHECK(
        days_of("FREQ=WEEKLY;BYDAY=SA", "20261116T220000", 3) == std::vector<unsigned>{16, 21, 28});
}

TEST_CASE("a rule that never comes ends") {
    CHECK(days_of("FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30", "20260101T000000", 3).size() == 1);
}

TEST_CASE("a walk that begins late gives what a walk from the start gives there") {
    const auto rule = *recurrence::parse("FREQ=WEEKLY;INTERVAL=3;BYDAY=MO,FR;WKST=SU");
    const local_seconds start = local_days(2000y / 1 / 3) + 1h;
    const local_seconds late = local_days(2026y / 1 / 1);
    const local_seconds end = late + days(365);
    recurrence_walk from_start(rule, *time_zone::utc(), start, {.from = start, .to = end});
    recurrence_walk from_late(rule, *time_zone::utc(), start, {.from = late, .to = end});

    std::size_t observed = 0;
    while (const auto each = from_start.next()) {
        if (*each < late) continue;
        CHECK(from_late.next() == each);
        ++observed;
    }

    CHECK(observed > 30);
    CHECK_FALSE(from_late.next());
}

TEST_CASE("what is no rule is refused with the part that is wrong") {
    CHECK(complaint("INTERVAL=2") == "RRULE: FREQ is missing");
    CHECK(complaint("FREQ=MINUTELY") == "RRULE FREQ: frequencies above HOURLY are not supported");
    CHECK(complaint("FREQ=DAILY;BYHOUR=24") == "RRULE BYHOUR: '24' is not a number from 0 to 23");
    CHECK(complaint("FREQ=DAILY;COUNT=2;COUNT=3") == "RRULE COUNT: duplicate part");
    CHECK(complaint("FREQ=DAILY;RSCALE=CHINESE") == "RRULE RSCALE: unknown part");
    CHECK_FALSE(complaint("FREQ=DAILY;COUNT=2;UNTIL=20260101").empty());
    CHECK_FALSE(complaint("FREQ=WEEKLY;BYDAY=2TU").empty());
    CHECK_FALSE(complaint("FREQ=WEEKLY;BYMONTHDAY=2").empty());
    CHECK_FALSE(complaint("FREQ=MONTHLY;BYSETPOS=1").empty());
    CHECK_FALSE(complaint("FREQ=DAILY;INTERVAL=0").empty());
    CHECK_FALSE(complaint("").empty());
}

TEST_CASE("durations are whole or refused") {
    CHECK(*parse_duration("P1W") == ical_duration{.days = days(7)});
    CHECK(*parse_duration("P1DT2H30M") == ical_duration{.days = days(1), .time = 2h + 30min});
    for (const auto* const text : {"", "P", "PT", "P1", "1D", "P1H", "PT1D", "P1DT", "-PT1H"})
        CHECK_FALSE(parse_duration(text));
}

}  // namespace
}  // namespace muster::windows
