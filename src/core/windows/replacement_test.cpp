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
timetable two_nights() {
    const auto read = calendar::parse(
        "BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20261117T200000Z\nDURATION:PT2H\n"
        "RDATE:20261120T200000Z\nEND:VEVENT\nEND:VCALENDAR\n",
        [](std::string_view) -> result<zone_pointer> { return fail(errc::not_found); });
    REQUIRE(read);
    return read->whole();
}

const wall_time first = monday + 24h + 20h;
const wall_time second = monday + days(4) + 20h;

std::vector<replanned> replanned_by(std::vector<planned_start> plans, const char* strategies) {
    const auto order = parse_strategies(strategies);
    REQUIRE(order);
    const auto outcome = replan(plans, two_nights(), *order, monday);
    REQUIRE_MESSAGE(outcome, outcome.error().detail());
    return *outcome;
}

TEST_CASE("a start that lies in a window of the new calendar is kept") {
    const planned_start inside{"job-1", first + 1h};

    CHECK(replanned_by({inside}, "Fail") == std::vector<replanned>{{inside, kept{}}});
}

TEST_CASE("a start is moved to the beginning of the window that the strategy names") {
    const planned_start between{"job-1", first + 24h};  // nearer to the first

    CHECK(
        replanned_by({between}, "Nearest")
        == std::vector<replanned>{{between, moved{first, strategy::nearest}}});
    CHECK(
        replanned_by({between}, "next")
        == std::vector<replanned>{{between, moved{second, strategy::next}}});
    CHECK(
        replanned_by({between}, "PREVIOUS,Next")
        == std::vector<replanned>{{between, moved{first, strategy::previous}}});
}

TEST_CASE("a strategy that finds nothing leaves it to the one behind it") {
    const planned_start before_all{"job-1", monday + 1h};
    const planned_start after_all{"job-2", second + 10h};

    CHECK(
        replanned_by({before_all}, "Previous,Next")
        == std::vector<replanned>{{before_all, moved{first, strategy::next}}});
    CHECK(
        replanned_by({after_all}, "Next,Cancel")
        == std::vector<replanned>{{after_all, cancelled{}}});
}

TEST_CASE("one start that fails refuses the whole replacement and is named") {
    const std::vector<planned_start> plans{{"job-1", first}, {"job-2", monday + 1h}};
    const std::array<strategy, 2> order{strategy::previous, strategy::fail};

    const auto outcome = replan(plans, two_nights(), order, monday);

    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().code() == errc::conflict);
    CHECK(outcome.error().detail().ends_with("new calendar: job-2"));
    CHECK_FALSE(replan(plans, two_nights(), {}, monday));
}

TEST_CASE("no start is moved into the past") {
    const planned_start planned{"job-1", first + 24h};
    const std::array<strategy, 1> order{strategy::previous};
    const std::vector<planned_start> plans{planned};

    CHECK_FALSE(replan(plans, two_nights(), order, first + 3h));
    const auto within = replan(plans, two_nights(), order, first + 1h);
    REQUIRE(within);
    CHECK(
        within->front().verdict
        == std::variant<kept, moved, cancelled>(moved{first + 1h, strategy::previous}));
}

TEST_CASE("strategies are a list of known words, each once") {
    CHECK(*parse_strategies("Nearest,Cancel") == std::vector{strategy::nearest, strategy::cancel});
    CHECK_FALSE(parse_strategies("Soon"));
    CHECK_FALSE(parse_strategies("Next,Next"));
    CHECK_FALSE(parse_strategies(""));
}

TEST_CASE("another schedule cancels planned work, losing the schedule keeps it") {
    CHECK(after_assignment("a", "b") == planned_work::is_cancelled);
    CHECK(after_assignment(std::nullopt, "b") == planned_work::is_cancelled);
    CHECK(after_assignment("a", "a") == planned_work::stays);
    CHECK(after_assignment("a", std::nullopt) == planned_work::stays);
}

}  // namespace
}  // namespace muster::windows
