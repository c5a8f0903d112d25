#include "core/windows/admission.h"

#include "core/windows/overrun.h"

#include <doctest/doctest.h>

#include <array>
#include <variant>
#include <vector>

namespace muster::windows {
namespace {

using namespace std::chrono;
using namespace std::chrono_literals;

const wall_time night = sys_days(2026y / 11 / 16) + 22h;
const std::array<window, 2> nights{{{night, night + 4h}, {night + 24h, night + 28h}}};

admission admit_at(
    wall_time now, seconds expected, bool emergency = false, admission_policy policy = {}) {
    return admit(
        {.now = now, .next_windows = nights, .expected = expected, .emergency = emergency}, policy);
}

TEST_CASE("work that fits what is left of an open window starts") {
    CHECK(admit_at(night, 4h) == admission(start{.window = nights[0]}));
    CHECK(admit_at(night + 3h, 1h) == admission(start{.window = nights[0]}));
}

TEST_CASE("work that would not end within the window waits for the next and says why") {
    CHECK(
        admit_at(night + 3h, 2h)
        == admission(wait{
            .until = night + 24h,
            .reason =
                "expected duration 2 h exceeds the rest of the open maintenance window (1 h); next "
                "window opens at 2026-11-17T22:00:00Z"}));
}

TEST_CASE("when only the start is limited, work starts as long as the window is open") {
    const admission_policy start_only{.rule = admission_policy::fit::start_within};

    CHECK(
        admit_at(night + 3h + 59min, 10h, false, start_only)
        == admission(start{.window = nights[0]}));
    CHECK(std::holds_alternative<wait>(admit_at(night - 1s, 1h, false, start_only)));
}

TEST_CASE("work that fits no window never starts, and neither does any without windows") {
    CHECK(
        admit_at(night - 1h, 5h)
        == admission(never{
            "expected duration 5 h exceeds the longest of the next 2 maintenance windows (4 h)"}));
    CHECK(
        admit({.now = night, .next_windows = {}}, {})
        == admission(never{"the maintenance schedule has no windows"}));
}

TEST_CASE("in an emergency work starts outside of a window, unless policy forbids it") {
    const admission_policy strict{.emergency = admission_policy::override::disabled};

    CHECK(admit_at(night - 1h, 1h, true) == admission(start{.window = std::nullopt}));
    const auto refused = admit_at(night - 1h, 1h, true, strict);
    REQUIRE(std::holds_alternative<wait>(refused));
    CHECK(
        std::get<wait>(refused).reason.ends_with("forbidden by policy (muster windows override)"));
}

TEST_CASE("what is expected is the mean and two deviations, once enough is known") {
    const admission_policy usual{.presumed = 10min};

    CHECK(expected_duration({.mean = 60s, .deviation = 15s, .samples = 100}, usual) == 90s);
    CHECK(expected_duration({.mean = 60s, .deviation = 15s, .samples = 4}, usual) == 10min);
}

TEST_CASE("a window that is overrun is told once, whatever runs on in it") {
    overrun_detector detector;

    CHECK_FALSE(detector.observe("core", nights[0], "job-1", night + 4h));
    const auto overrun = detector.observe("core", nights[0], "job-1", night + 5h);
    REQUIRE(overrun);
    CHECK(overrun->first_job == "job-1");
    CHECK_FALSE(detector.observe("core", nights[0], "job-2", night + 6h));
    CHECK(detector.observe("core", nights[1], "job-1", night + 30h));
    CHECK(detector.observe("sap", nights[0], "job-1", night + 6h));
}

TEST_CASE("an emergency is refused with a sentence where policy forbids it") {
    CHECK(check_emergency(admission_policy::override::allowed).has_value());
    const auto denied = check_emergency(admission_policy::override::disabled);
    CHECK(denied.error().code() == errc::denied);
    CHECK(denied.error().detail().contains("muster windows override"));
}

TEST_CASE("windows say of one system when it may start, and why not now") {
    const auto check_at = [](wall_time now, seconds expected) {
        return check_window(
            {.now = now, .next_windows = nights, .expected = expected}, {}, "weekends");
    };
    CHECK(check_at(night, 1h) == window_check{});
    CHECK(check_at(night - 1h, 1h).opens == night);
    CHECK(check_at(night - 1h, 1h).reason->starts_with("no maintenance window is open"));
    CHECK_FALSE(check_at(night, 5h).opens.has_value());
    CHECK(check_at(night, 5h).reason.has_value());
    CHECK(
        check_window({.now = night, .next_windows = {}}, {}, "weekends").reason
        == "maintenance schedule \"weekends\" has no windows");
}

TEST_CASE("a planned start outside of a window says for whom, and what to do") {
    const std::string weekends = "weekends";
    const window_schedule empty_schedule;
    const auto refused = check_planned_start(
        planned_group{.name = weekends, .systems = 3, .windows = empty_schedule}, night);
    CHECK(refused.error().code() == errc::invalid);
    CHECK(
        refused.error().detail()
        == "`at`: 2026-11-16T22:00:00Z is outside all maintenance windows; the schedule has no "
           "later windows (schedule \"weekends\" of 3 systems); omit `at` to start each system in "
           "its next window");
}

}  // namespace
}  // namespace muster::windows
