// Nodes with real engines and two coordinators share a job's batch, while messages are lost, late
// and out of order, processes die, slots move and nodes are given up. At no moment do more tasks
// run than the batch allows, and once the trouble is over every system gets its task.
#include "core/rollout/quota_world_fixture.h"

#include <doctest/doctest.h>

#include <cstdint>

namespace muster::rollout {
namespace {

constexpr std::uint64_t seeds = 400;
constexpr int troubled_steps = 1500;
constexpr int quiet_rounds_max = 600;

void live_through(std::uint64_t seed) {
    CAPTURE(seed);
    quota_world world(seed);
    for (int step = 0; step < troubled_steps; ++step) {
        world.any_step();
        REQUIRE(world.charged() <= world.limit());
        REQUIRE(world.running() <= world.limit());
    }
    int rounds = 0;
    while (!world.all_done() && rounds++ < quiet_rounds_max) {
        world.quiet_round();
        REQUIRE(world.running() <= world.limit());
    }
    REQUIRE(world.all_done());
}

TEST_CASE("never do more tasks run in the cluster than the batch allows, whatever is lost") {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) live_through(seed);
}

TEST_CASE("the worlds in which weaker protocols failed find nothing") {
    // There a refused start was tried again without end, and a process that gave places back, or
    // used them, before it knew what had left with its slots went beyond the limit.
    for (const std::uint64_t seed : {1224U, 1592U, 3160U}) live_through(seed);
}

TEST_CASE("the world of this test finds a coordinator that forgets what the gone have started") {
    bool match = false;
    for (std::uint64_t seed = 1; seed <= seeds && !match; ++seed) {
        quota_world world(seed, quota_world::fault::forgets_the_gone);
        for (int step = 0; step < troubled_steps && !match; ++step) {
            world.any_step();
            match = world.running() > world.limit();
        }
    }
    CHECK(match);
}

TEST_CASE("the world of this test finds a coordinator whose late writes are not refused") {
    bool match = false;
    for (std::uint64_t seed = 1; seed <= seeds && !match; ++seed) {
        quota_world world(seed, quota_world::fault::no_plan_key);
        for (int step = 0; step < troubled_steps && !match; ++step) {
            world.any_step();
            match = world.charged() > world.limit();
        }
    }
    CHECK(match);
}

}  // namespace
}  // namespace muster::rollout
