#include "core/presence/life.h"

#include <doctest/doctest.h>

using namespace muster;
using namespace muster::presence::history;
using namespace std::chrono_literals;

namespace {

const wall_time noon(1'800'014'400s);

std::vector<standing> states_of(const std::vector<stage>& all) {
    std::vector<standing> made;
    for (const auto& each : all) made.push_back(each.state);
    return made;
}

const std::vector<segment> hours{
    {.from = noon, .until = noon + 3h, .where = whereabouts::unknown},
    {.from = noon + 3h, .until = noon + 6h, .where = whereabouts::attached},
    {.from = noon + 6h, .until = noon + 9h, .where = whereabouts::away}};

}  // namespace

TEST_CASE("a system is new until it is accepted, and was nothing before it enrolled") {
    const auto told =
        stages_of(hours, {.enrolled = noon + 1h, .accepted = noon + 4h}, noon, noon + 9h);

    REQUIRE(states_of(told) == std::vector{standing::fresh, standing::onboarded, standing::orphan});
    CHECK(told[0].from == noon + 1h);
    CHECK(told[1].from == noon + 4h);
}

TEST_CASE("a deleted system is deleted, whatever its node says later") {
    const auto told = stages_of(
        hours,
        {.enrolled = noon - 1h, .accepted = noon - 1h, .deleted = noon + 5h},
        noon,
        noon + 9h);

    REQUIRE(
        states_of(told) == std::vector{standing::unknown, standing::onboarded, standing::deleted});
    CHECK(told[1].until == noon + 5h);
    CHECK(told[2].until == noon + 9h);
}

TEST_CASE("one that was never accepted is new, to its end") {
    CHECK(
        states_of(stages_of({}, {.enrolled = noon - 1h, .deleted = noon + 5h}, noon, noon + 9h))
        == std::vector{standing::fresh, standing::deleted});
}

TEST_CASE("one that enrolled later than what is asked for has nothing to show") {
    CHECK(stages_of(hours, {.enrolled = noon + 20h}, noon, noon + 9h).empty());
}
