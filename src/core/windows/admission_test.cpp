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

admission ask(
    wall_time now, seconds expected, bool emergency = false, admission_policy policy = {}) {
    return admit(
        {.now = now, .coming = nights, .expected = expected, .emergency = emergency}, policy);
}

TEST_CASE("work that fits what is left of an open window starts") {
    CHECK(ask(night, 4h) == admission(start{.within = nights[0]}));
    CHECK(ask(night + 3h, 1h) == admission(start{.within = nights[0]}));
}

TEST_CASE("work that would not end within the window waits for the next and says why") {
    CHECK(
        ask(night + 3h, 2h)
        == admission(wait{
            .until = night + 24h,
            .why = "it is expected to take 2 h, and the window has 1 h left; the next one opens at "
                   "2026-11-17T22:00:00Z"}));
}

TEST_CASE("when only the start is limited, work starts as long as the window is open") {
    const admission_policy start_only{.rule = admission_policy::fit::start_within};

    CHECK(ask(night + 3h + 59min, 10h, false, start_only) == admission(start{.within = nights[0]}));
    CHECK(std::holds_alternative<wait>(ask(night - 1s, 1h, false, start_only)));
}

TEST_CASE("work that fits no window never starts, and neither does any without windows") {
    CHECK(
        ask(night - 1h, 5h)
        == admission(
            never{"it is expected to take 5 h, and the longest of the next 2 windows has 4 h"}));
    CHECK(
        admit({.now = night, .coming = {}}, {}) == admission(never{"its schedule has no windows"}));
}

TEST_CASE("in an emergency work starts outside of a window, unless policy forbids it") {
    const admission_policy strict{.emergency = admission_policy::override::disabled};

    CHECK(ask(night - 1h, 1h, true) == admission(start{.within = std::nullopt}));
    const auto refused = ask(night - 1h, 1h, true, strict);
    REQUIRE(std::holds_alternative<wait>(refused));
    CHECK(std::get<wait>(refused).why.ends_with("disabled by policy"));
}

TEST_CASE("what is expected is the mean and two deviations, once enough is known") {
    const admission_policy usual{.presumed = 10min};

    CHECK(expected_duration({.mean = 60s, .deviation = 15s, .samples = 100}, usual) == 90s);
    CHECK(expected_duration({.mean = 60s, .deviation = 15s, .samples = 4}, usual) == 10min);
}

TEST_CASE("a window that is overrun is told once, whatever runs on in it") {
    overrun_watch watch;

    CHECK_FALSE(watch.seen("core", nights[0], "job-1", night + 4h));
    const auto response = watch.seen("core", nights[0], "job-1", night + 5h);
    REQUIRE(response);
    CHECK(response->first_job == "job-1");
    CHECK_FALSE(watch.seen("core", nights[0], "job-2", night + 6h));
    CHECK(watch.seen("core", nights[1], "job-1", night + 30h));
    CHECK(watch.seen("sap", nights[0], "job-1", night + 6h));
}

TEST_CASE("an emergency is refused with a sentence where policy forbids it") {
    CHECK(check_emergency(admission_policy::override::allowed).has_value());
    const auto denied = check_emergency(admission_policy::override::disabled);
    CHECK(denied.error().code() == errc::denied);
    CHECK(denied.error().detail().contains("muster windows override"));
}

TEST_CASE("windows say of one system when it may start, and why not now") {
    const auto answer = [](wall_time now, seconds expected) {
        return answer_to({.now = now, .coming = nights, .expected = expected}, {}, "weekends");
    };
    CHECK(answer(night, 1h) == window_answer{});
    CHECK(answer(night - 1h, 1h).opens == night);
    CHECK(answer(night - 1h, 1h).why->starts_with("no window is open"));
    CHECK_FALSE(answer(night, 5h).opens.has_value());
    CHECK(answer(night, 5h).why.has_value());
    CHECK(
        answer_to({.now = night, .coming = {}}, {}, "weekends").why
        == "its maintenance schedule weekends has no window");
}

TEST_CASE("a planned start outside of a window says for whom, and what to do") {
    const std::string weekends = "weekends";
    const timetable never;
    const auto refused = check_planned_start(
        planned_group{.schedule = weekends, .systems = 3, .when = never}, night);
    CHECK(refused.error().code() == errc::invalid);
    CHECK(
        refused.error().detail()
        == "`at`: for 3 systems with the schedule weekends, 2026-11-16T22:00:00Z is outside of "
           "every window, and there are none to come; without `at` each system starts in its next "
           "window");
}

}  // namespace
}  // namespace muster::windows
