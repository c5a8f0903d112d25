#include "core/windows/replacement.h"

#include "core/windows/calendar.h"

#include <doctest/doctest.h>

#include <array>
#include <vector>

namespace muster::windows {
namespace {

using namespace std::chrono;
using namespace std::chrono_literals;

const wall_time monday = sys_days(2026y / 11 / 16);

// Windows from 20 to 22 h on the 17th and the 20th.
window_schedule two_nights() {
    const auto parsed = calendar::parse(
        "BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20261117T200000Z\nDURATION:PT2H\n"
        "RDATE:20261120T200000Z\nEND:VEVENT\nEND:VCALENDAR\n",
        [](std::string_view) -> result<time_zone_pointer> { return fail(errc::not_found); });
    REQUIRE(parsed);
    return parsed->all_events();
}

const wall_time first = monday + 24h + 20h;
const wall_time second = monday + days(4) + 20h;

std::vector<replan_decision> replan_with(std::vector<planned_start> plans, const char* strategies) {
    const auto parsed = parse_strategies(strategies);
    REQUIRE(parsed);
    const auto decisions = replan(plans, two_nights(), *parsed, monday);
    REQUIRE_MESSAGE(decisions, decisions.error().detail());
    return *decisions;
}

TEST_CASE("a start that lies in a window of the new calendar is kept") {
    const planned_start inside{"job-1", first + 1h};

    CHECK(replan_with({inside}, "Fail") == std::vector<replan_decision>{{inside, kept{}}});
}

TEST_CASE("a start is moved to the beginning of the window that the strategy names") {
    const planned_start between{"job-1", first + 24h};  // nearer to the first

    CHECK(
        replan_with({between}, "Nearest")
        == std::vector<replan_decision>{{between, moved{first, strategy::nearest}}});
    CHECK(
        replan_with({between}, "next")
        == std::vector<replan_decision>{{between, moved{second, strategy::next}}});
    CHECK(
        replan_with({between}, "PREVIOUS,Next")
        == std::vector<replan_decision>{{between, moved{first, strategy::previous}}});
}

TEST_CASE("a strategy that finds nothing leaves it to the one behind it") {
    const planned_start before_all{"job-1", monday + 1h};
    const planned_start after_all{"job-2", second + 10h};

    CHECK(
        replan_with({before_all}, "Previous,Next")
        == std::vector<replan_decision>{{before_all, moved{first, strategy::next}}});
    CHECK(
        replan_with({after_all}, "Next,Cancel")
        == std::vector<replan_decision>{{after_all, cancelled{}}});
}

TEST_CASE("one start that fails refuses the whole replacement and is named") {
    const std::vector<planned_start> plans{{"job-1", first}, {"job-2", monday + 1h}};
    const std::array<strategy, 2> strategies{strategy::previous, strategy::fail};

    const auto decisions = replan(plans, two_nights(), strategies, monday);

    REQUIRE_FALSE(decisions);
    CHECK(decisions.error().code() == errc::conflict);
    CHECK(decisions.error().detail().ends_with("new calendar; jobs: job-2"));
    CHECK_FALSE(replan(plans, two_nights(), {}, monday));
}

TEST_CASE("no start is moved into the past") {
    const planned_start planned{"job-1", first + 24h};
    const std::array<strategy, 1> strategies{strategy::previous};
    const std::vector<planned_start> plans{planned};

    CHECK_FALSE(replan(plans, two_nights(), strategies, first + 3h));
    const auto decisions = replan(plans, two_nights(), strategies, first + 1h);
    REQUIRE(decisions);
    CHECK(
        decisions->front().action
        == std::variant<kept, moved, cancelled>(moved{first + 1h, strategy::previous}));
}

TEST_CASE("strategies are a list of known words, each once") {
    CHECK(*parse_strategies("Nearest,Cancel") == std::vector{strategy::nearest, strategy::cancel});
    CHECK_FALSE(parse_strategies("Soon"));
    CHECK_FALSE(parse_strategies("Next,Next"));
    CHECK_FALSE(parse_strategies(""));
}

TEST_CASE("another schedule cancels planned work, losing the schedule keeps it") {
    CHECK(on_schedule_change("a", "b") == planned_work_action::cancel);
    CHECK(on_schedule_change(std::nullopt, "b") == planned_work_action::cancel);
    CHECK(on_schedule_change("a", "a") == planned_work_action::keep);
    CHECK(on_schedule_change("a", std::nullopt) == planned_work_action::keep);
}

}  // namespace
}  // namespace muster::windows
