#include "roles/node/dispatch/holdings.h"

#include "tests/harness/answer_of.h"

#include <doctest/doctest.h>

namespace muster::dispatch {
namespace {

using namespace std::chrono_literals;
using harness::answer_of;
using membership::node_state;

cluster::topology all_slots_of(node_state state) {
    cluster::topology made;
    made.nodes["alpha"] = {
        .number = node_number(1), .name = "alpha", .zone = "default", .state = state};
    made.node_names[node_number(1)] = "alpha";
    std::vector<placement::move> moves;
    for (std::size_t n = 0; n < slot::count; ++n)
        moves.push_back({.what = slot(n), .from = node_number(), .to = node_number(1)});
    made.slots["default"] =
        std::make_shared<placement::slot_table>(placement::slot_table().after(moves).value());
    return made;
}

void add_one(fleet::fleet& to) {
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
    fleet::fleet systems;
    add_one(systems);
    for (const auto state : {node_state::pooled, node_state::staged, node_state::faulty}) {
        CAPTURE(membership::to_string(state));
        holdings held("alpha", 10s);
        const instant now{1h};
        REQUIRE(held.see(all_slots_of(node_state::serving), now));
        CHECK(answer_of(held.survey(systems, now))->gained.contains(system_number(1)));

        REQUIRE(held.see(all_slots_of(state), now));

        CHECK(answer_of(held.survey(systems, now))->lost.contains(system_number(1)));
        CHECK(held.held().empty());
        REQUIRE(held.see(all_slots_of(node_state::serving), now));
        CHECK(answer_of(held.survey(systems, now))->gained.contains(system_number(1)));
    }
}

TEST_CASE("what was dropped is not held, and is again when the topology is looked at anew") {
    fleet::fleet systems;
    add_one(systems);
    holdings held("alpha", 10s);
    const instant now{1h};
    const auto known = all_slots_of(node_state::suspect);
    REQUIRE(held.see(known, now));
    REQUIRE(answer_of(held.survey(systems, now))->gained.contains(system_number(1)));

    CHECK(held.drop().lost.contains(system_number(1)));

    CHECK(held.held().empty());
    CHECK_FALSE(held.whole_epoch().has_value());
    REQUIRE(held.see(known, now));
    CHECK(answer_of(held.survey(systems, now))->gained.contains(system_number(1)));
}

}  // namespace
}  // namespace muster::dispatch
