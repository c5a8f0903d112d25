#include "core/windows/calendar.h"

#include "core/windows/tzif.h"
#include "tests/harness/system_zones.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace muster::windows {
namespace {

using namespace std::chrono;
using namespace std::chrono_literals;

result<time_zone_pointer> system_zone(std::string_view name) {
    const auto bytes = harness::zone_bytes(name);
    if (bytes.empty()) return fail(errc::not_found, std::string(name));
    return parse_tzif(std::string(name), bytes);
}

std::string with_events(const std::string& events) {
    return "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//test//EN\r\n" + events
           + "END:VCALENDAR\r\n";
}
std::string event_of(const std::string& lines) {
    return with_events("BEGIN:VEVENT\r\nUID:1\r\nSUMMARY:night\r\n" + lines + "END:VEVENT\r\n");
}

calendar parse(const std::string& text) {
    const auto parsed = calendar::parse(text, system_zone);
    REQUIRE_MESSAGE(parsed, parsed.error().detail());
    return *parsed;
}
std::string parse_error(const std::string& text) {
    const auto parsed = calendar::parse(text, system_zone);
    return parsed ? "" : parsed.error().detail();
}

wall_time at(year_month_day day, seconds time = 0s) {
    return sys_days(day) + time;
}
std::vector<window> first(const window_schedule& schedule, wall_time from, std::size_t count) {
    const auto windows = schedule.next(from, count);
    REQUIRE(windows);
    return *windows;
}

std::optional<window> open(const window_schedule& schedule, wall_time time) {
    const auto window = schedule.open_at(time);
    REQUIRE(window);
    return *window;
}

TEST_CASE("a night's window keeps its local hour over a change of the clocks") {
    const auto night = parse(event_of(
        "DTSTART;TZID=Europe/Berlin:20260327T220000\r\nDURATION:PT4H\r\nRRULE:FREQ=DAILY\r\n"));

    const auto windows = first(night.all_events(), at(2026y / 3 / 27), 3);

    CHECK(windows[0] == window{at(2026y / 3 / 27, 21h), at(2026y / 3 / 28, 1h)});
    CHECK(windows[1] == window{at(2026y / 3 / 28, 21h), at(2026y / 3 / 29, 1h)});
    CHECK(windows[2] == window{at(2026y / 3 / 29, 20h), at(2026y / 3 / 30, 0h)});
}

TEST_CASE("a whole day lasts from midnight to midnight, be it 23 or 25 hours") {
    const auto days_off =
        parse(event_of("DTSTART;VALUE=DATE:20260328\r\nDTEND;VALUE=DATE:20260329\r\n"
                       "RRULE:FREQ=DAILY;INTERVAL=211;COUNT=3\r\n"));
    const auto in_berlin =
        parse(with_events("X-WR-TIMEZONE:Europe/Berlin\r\nBEGIN:VEVENT\r\n"
                          "DTSTART;VALUE=DATE:20260329\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\n"
                          "DTSTART;VALUE=DATE:20261025\r\nEND:VEVENT\r\n"));

    CHECK(
        first(days_off.all_events(), at(2026y / 1 / 1), 1).front()
        == window{at(2026y / 3 / 28), at(2026y / 3 / 29)});
    const auto windows = first(in_berlin.all_events(), at(2026y / 1 / 1), 2);
    CHECK(windows[0].closes - windows[0].opens == 23h);
    CHECK(windows[1].closes - windows[1].opens == 25h);
}

TEST_CASE("with DTEND every repetition lasts exactly as long, with DURATION as many days") {
    const auto exact = parse(event_of(
        "DTSTART;TZID=Europe/Berlin:20260327T120000\r\nDTEND;TZID=Europe/Berlin:20260328T120000\r\n"
        "RRULE:FREQ=DAILY;INTERVAL=1;COUNT=2\r\nEXDATE;TZID=Europe/Berlin:20260327T120000\r\n"));
    const auto nominal =
        parse(event_of("DTSTART;TZID=Europe/Berlin:20260328T120000\r\nDURATION:P1D\r\n"));

    CHECK(
        first(exact.all_events(), at(2026y / 1 / 1), 1).front()
        == window{at(2026y / 3 / 28, 11h), at(2026y / 3 / 29, 11h)});
    CHECK(
        first(nominal.all_events(), at(2026y / 1 / 1), 1).front()
        == window{at(2026y / 3 / 28, 11h), at(2026y / 3 / 29, 10h)});
}

TEST_CASE("dates are added, left out and moved one by one") {
    const auto moved = parse(with_events(
        "BEGIN:VEVENT\r\nUID:a\r\nDTSTART:20260105T200000Z\r\nDURATION:PT2H\r\n"
        "RRULE:FREQ=WEEKLY;COUNT=4\r\nEXDATE:20260112T200000Z\r\n"
        "RDATE:20260107T200000Z\r\nRDATE;VALUE=PERIOD:20260109T100000Z/PT1H\r\nEND:VEVENT\r\n"
        "BEGIN:VEVENT\r\nUID:a\r\nRECURRENCE-ID:20260119T200000Z\r\n"
        "DTSTART:20260120T180000Z\r\nDURATION:PT5H\r\nEND:VEVENT\r\n"
        "BEGIN:VEVENT\r\nUID:a\r\nRECURRENCE-ID:20260126T200000Z\r\nSTATUS:CANCELLED\r\n"
        "DTSTART:20260126T200000Z\r\nDURATION:PT5H\r\nEND:VEVENT\r\n"));

    const auto windows = first(moved.all_events(), at(2026y / 1 / 1), 9);

    CHECK(
        windows
        == std::vector<window>{
            {at(2026y / 1 / 5, 20h), at(2026y / 1 / 5, 22h)},
            {at(2026y / 1 / 7, 20h), at(2026y / 1 / 7, 22h)},
            {at(2026y / 1 / 9, 10h), at(2026y / 1 / 9, 11h)},
            {at(2026y / 1 / 20, 18h), at(2026y / 1 / 20, 23h)}});
}

TEST_CASE("events that overlap or touch are one window") {
    const auto three = parse(
        with_events("BEGIN:VEVENT\r\nDTSTART:20260105T200000Z\r\nDURATION:PT2H\r\nEND:VEVENT\r\n"
                    "BEGIN:VEVENT\r\nDTSTART:20260105T210000Z\r\nDURATION:PT3H\r\nEND:VEVENT\r\n"
                    "BEGIN:VEVENT\r\nDTSTART:20260106T000000Z\r\nDURATION:PT1H\r\nEND:VEVENT\r\n"));

    const auto whole = window{at(2026y / 1 / 5, 20h), at(2026y / 1 / 6, 1h)};

    CHECK(first(three.all_events(), at(2026y / 1 / 1), 5) == std::vector{whole});
    CHECK(open(three.all_events(), at(2026y / 1 / 6, 30min)) == std::optional(whole));
    CHECK(open(three.all_events(), at(2026y / 1 / 6, 1h)) == std::optional<window>());
    CHECK(open(three.all_events(), at(2026y / 1 / 5, 20h)) == std::optional(whole));
}

TEST_CASE("a multi calendar has one schedule for each summary") {
    const auto both = parse(with_events(
        "BEGIN:VEVENT\r\nSUMMARY:SAP\\, night\r\nDTSTART:20260105T200000Z\r\nDURATION:PT2H\r\n"
        "END:VEVENT\r\nBEGIN:VEVENT\r\nSUMMARY:Core\r\nDTSTART:20260106T200000Z\r\n"
        "DURATION:PT2H\r\nEND:VEVENT\r\n"));

    CHECK(both.summaries() == std::set<std::string>{"Core", "SAP, night"});
    CHECK(first(both.events_named("Core"), at(2026y / 1 / 1), 5).size() == 1);
    CHECK(first(both.all_events(), at(2026y / 1 / 1), 5).size() == 2);
    CHECK(both.events_named("nobody").empty());
}

TEST_CASE("a schedule without events has no windows") {
    CHECK(window_schedule().empty());
    CHECK(window_schedule().next(at(2026y / 1 / 1), 5)->empty());
    CHECK(open(window_schedule(), at(2026y / 1 / 1)) == std::optional<window>());
    CHECK(parse(with_events("")).all_events().empty());
}

TEST_CASE("a calendar that is always open has windows of a bounded length") {
    const auto always = parse(event_of("DTSTART;VALUE=DATE:20200101\r\nRRULE:FREQ=DAILY\r\n"));

    const auto window = always.all_events().open_at(at(2026y / 6 / 1, 12h));

    REQUIRE(window);
    REQUIRE(*window);
    CHECK((*window)->closes - (*window)->opens <= 3 * window_schedule_limits::joined_max);
}

TEST_CASE("a window made of many events is told whole, from wherever it is looked at") {
    // Three days of hours, each touching the next.
    const auto hourly = parse(
        event_of("DTSTART:20260601T000000Z\r\nDURATION:PT1H\r\nRRULE:FREQ=HOURLY;COUNT=72\r\n"));
    const auto whole = window{at(2026y / 6 / 1), at(2026y / 6 / 4)};

    for (const auto offset : {0h, 1h, 35h, 71h})
        CHECK(open(hourly.all_events(), at(2026y / 6 / 1, offset)) == std::optional(whole));
    CHECK_FALSE(open(hourly.all_events(), at(2026y / 6 / 4)));
}

TEST_CASE("a calendar brings its own zones, and they are honoured") {
    const auto own = parse(with_events(
        "BEGIN:VTIMEZONE\r\nTZID:W. Europe Standard Time\r\n"
        "BEGIN:STANDARD\r\nDTSTART:16010101T030000\r\nTZOFFSETFROM:+0200\r\nTZOFFSETTO:+0100\r\n"
        "RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=10\r\nEND:STANDARD\r\n"
        "BEGIN:DAYLIGHT\r\nDTSTART:16010101T020000\r\nTZOFFSETFROM:+0100\r\nTZOFFSETTO:+0200\r\n"
        "RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=3\r\nEND:DAYLIGHT\r\nEND:VTIMEZONE\r\n"
        "BEGIN:VEVENT\r\nDTSTART;TZID=\"W. Europe Standard Time\":20260115T220000\r\n"
        "DURATION:PT4H\r\nRRULE:FREQ=MONTHLY;COUNT=12\r\nEND:VEVENT\r\n"));

    const auto windows = first(own.all_events(), at(2026y / 1 / 1), 12);

    CHECK(windows[0].opens == at(2026y / 1 / 15, 21h));
    CHECK(windows[6].opens == at(2026y / 7 / 15, 20h));
    CHECK(windows[11].opens == at(2026y / 12 / 15, 21h));
}

TEST_CASE("folded lines and lower-case names are read as the standard says") {
    const auto folded = parse(
        "begin:VCALENDAR\nBEGIN:VEVENT\nSUM\n MARY:ni\n\tght\nDTSTART:2026\n 0105T200000Z\n"
        "DURATION:PT2H\nEND:VEVENT\nEND:VCALENDAR\n\n");

    CHECK(folded.summaries() == std::set<std::string>{"night"});
}

TEST_CASE("what is wrong is told with its line") {
    CHECK(parse_error("") == "calendar is empty");
    CHECK(parse_error("hello") == "line 1: missing ':' after HELLO");
    CHECK(
        parse_error(with_events("BEGIN:VEVENT\r\nEND:VEVENT\r\n"))
        == "event 1 (line 4): event has no DTSTART");
    CHECK(
        parse_error(event_of("DTSTART:20260105T200000Z\r\n"))
        == "event 1 (line 4): event has no duration; add DTEND or DURATION");
    CHECK(parse_error(event_of("DTSTART:20260230T200000Z\r\nDURATION:PT1H\r\n"))
              .starts_with("event 1 (line 4): line 7: DTSTART: '20260230T200000Z' is not a date"));
    CHECK(
        parse_error(event_of("DTSTART;TZID=Mars/Base:20260105T200000\r\nDURATION:PT1H\r\n"))
            .find("\"Mars/Base\" not found")
        != std::string::npos);
    CHECK(
        parse_error(with_events("BEGIN:VEVENT\r\nEND:VTODO\r\n"))
        == "line 5: END:VTODO does not close BEGIN:VEVENT of line 4");
    CHECK(parse_error("BEGIN:VCALENDAR\r\n") == "line 1: BEGIN:VCALENDAR has no END");
    CHECK(parse_error(event_of("DTSTART:20260105T200000Z\r\nDURATION:PT1H\r\nRRULE:FREQ=DAYLY\r\n"))
              .starts_with("event 1 (line 4): line 9: RRULE FREQ: must be"));
}

TEST_CASE("a calendar beyond its limits is refused") {
    std::string many;
    for (std::size_t count = 0; count <= calendar_limits::events_max; ++count)
        many += "BEGIN:VEVENT\nDTSTART:20260105T200000Z\nDURATION:PT1H\nEND:VEVENT\n";

    CHECK(parse_error(with_events(many)) == "calendar has more than 2000 events");
    CHECK(parse_error(std::string(2 << 20, 'A')) == "calendar is larger than 1 MiB");
    CHECK(
        parse_error(event_of("DTSTART:20260105T200000Z\r\nDURATION:P400D\r\n"))
        == "event 1 (line 4): event is longer than 366 days");
}

}  // namespace
}  // namespace muster::windows
