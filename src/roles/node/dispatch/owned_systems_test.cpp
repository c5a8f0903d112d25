#include "roles/node/dispatch/owned_systems.h"

#include "tests/harness/run_sync.h"

#include <doctest/doctest.h>

namespace muster::dispatch {
namespace {

using namespace std::chrono_literals;
using harness::run_sync;
using membership::node_state;

cluster::topology all_slots_of(node_state state) {
    cluster::topology topology;
    topology.nodes["alpha"] = {
        .number = node_number(1), .name = "alpha", .zone = "default", .state = state};
    topology.node_names[node_number(1)] = "alpha";
    std::vector<placement::move> moves;
    for (std::size_t n = 0; n < slot::count; ++n)
        moves.push_back({.moved_slot = slot(n), .from = node_number(), .to = node_number(1)});
    topology.slots["default"] =
        std::make_shared<placement::slot_table>(placement::slot_table().apply_moves(moves).value());
    return topology;
}

void add_one(fleet::system_cache& to) {
    to.begin_reading();
    const system_record row{
        .print = fingerprint(fingerprint::bytes_type{}),
        .name = "web1",
        .stage = enrolment::accepted,
        .number = system_number(1),
        .zone = "default"};
    to.apply(std::span(&row, 1));
    to.end_reading();
}

TEST_CASE("a node acts for its systems only while it is a member of its zone") {
    fleet::system_cache systems;
    add_one(systems);
    for (const auto state : {node_state::pooled, node_state::staged, node_state::faulty}) {
        CAPTURE(membership::to_string(state));
        owned_systems held("alpha", 10s);
        const instant now{1h};
        REQUIRE(held.update_topology(all_slots_of(node_state::serving), now));
        CHECK(run_sync(held.survey(systems, now))->gained.contains(system_number(1)));

        REQUIRE(held.update_topology(all_slots_of(state), now));

        CHECK(run_sync(held.survey(systems, now))->lost.contains(system_number(1)));
        CHECK(held.systems().empty());
        REQUIRE(held.update_topology(all_slots_of(node_state::serving), now));
        CHECK(run_sync(held.survey(systems, now))->gained.contains(system_number(1)));
    }
}

TEST_CASE("what was dropped is not held, and is again when the topology is looked at anew") {
    fleet::system_cache systems;
    add_one(systems);
    owned_systems held("alpha", 10s);
    const instant now{1h};
    const auto all_slots = all_slots_of(node_state::suspect);
    REQUIRE(held.update_topology(all_slots, now));
    REQUIRE(run_sync(held.survey(systems, now))->gained.contains(system_number(1)));

    CHECK(held.release_all().lost.contains(system_number(1)));

    CHECK(held.systems().empty());
    CHECK_FALSE(held.complete_epoch().has_value());
    REQUIRE(held.update_topology(all_slots, now));
    CHECK(run_sync(held.survey(systems, now))->gained.contains(system_number(1)));
}

}  // namespace
}  // namespace muster::dispatch
