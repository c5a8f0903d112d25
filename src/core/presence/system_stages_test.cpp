#include "core/presence/system_stages.h"

#include <doctest/doctest.h>

using namespace muster;
using namespace muster::presence::history;
using namespace std::chrono_literals;

namespace {

const wall_time noon(1'800'014'400s);

std::vector<system_stage> states_of(const std::vector<stage_period>& periods) {
    std::vector<system_stage> stages;
    for (const auto& period : periods) stages.push_back(period.state);
    return stages;
}

const std::vector<segment> hours{
    {.from = noon, .until = noon + 3h, .state = attachment_state::unknown},
    {.from = noon + 3h, .until = noon + 6h, .state = attachment_state::attached},
    {.from = noon + 6h, .until = noon + 9h, .state = attachment_state::away}};

}  // namespace

TEST_CASE("a system is new until it is accepted, and was nothing before it enrolled") {
    const auto stages =
        stages_of(hours, {.enrolled = noon + 1h, .accepted = noon + 4h}, noon, noon + 9h);

    REQUIRE(
        states_of(stages)
        == std::vector{system_stage::fresh, system_stage::onboarded, system_stage::orphan});
    CHECK(stages[0].from == noon + 1h);
    CHECK(stages[1].from == noon + 4h);
}

TEST_CASE("a deleted system is deleted, whatever its node says later") {
    const auto stages = stages_of(
        hours,
        {.enrolled = noon - 1h, .accepted = noon - 1h, .deleted = noon + 5h},
        noon,
        noon + 9h);

    REQUIRE(
        states_of(stages)
        == std::vector{system_stage::unknown, system_stage::onboarded, system_stage::deleted});
    CHECK(stages[1].until == noon + 5h);
    CHECK(stages[2].until == noon + 9h);
}

TEST_CASE("one that was never accepted is new, to its end") {
    CHECK(
        states_of(stages_of({}, {.enrolled = noon - 1h, .deleted = noon + 5h}, noon, noon + 9h))
        == std::vector{system_stage::fresh, system_stage::deleted});
}

TEST_CASE("one that enrolled later than what is asked for has nothing to show") {
    CHECK(stages_of(hours, {.enrolled = noon + 20h}, noon, noon + 9h).empty());
}
