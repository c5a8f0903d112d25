#include "roles/driver/zone_failure_monitor.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace muster::driver {
namespace {

using namespace std::chrono_literals;
using membership::node_state;

constexpr instant start{};

// A zone of three nodes, all there.
cluster::topology three_nodes() {
    cluster::topology topology;
    topology.revision = kv::revision(10);
    for (std::int64_t number = 1; number <= 3; ++number) {
        const auto name = "muster-" + std::to_string(number);
        topology.nodes[name] = {
            .number = node_number(number),
            .name = name,
            .instance = "i",
            .zone = "default",
            .state = node_state::serving};
        topology.node_names[node_number(number)] = name;
        topology.servers[name] = {.name = name, .instance = "i"};
    }
    return topology;
}

zone_failure_monitor watching() {
    return zone_failure_monitor("default", {.disaster_timeout = 60s, .probe_interval = 5s});
}

membership::effects look(
    zone_failure_monitor& zone, const cluster::topology& topology, instant now) {
    return zone.check(topology, nodes_by_zone(topology).at("default"), now);
}

std::vector<node_state> states_in(const membership::effects& all) {
    std::vector<node_state> states;
    for (const auto& item : all) {
        if (const auto* change = std::get_if<membership::set_state>(&item))
            states.push_back(change->state);
    }
    return states;
}

TEST_CASE("a node whose server is gone is suspect, and serves again when it is back") {
    auto existing = three_nodes();
    auto zone = watching();
    CHECK(look(zone, existing, start).empty());

    existing.servers.erase("muster-2");
    CHECK(states_in(look(zone, existing, start + 1s)) == std::vector{node_state::suspect});
    existing.nodes["muster-2"].state = node_state::suspect;
    CHECK(look(zone, existing, start + 2s).empty());
    existing.servers["muster-2"] = {.name = "muster-2", .instance = "i"};

    CHECK(states_in(look(zone, existing, start + 3s)) == std::vector{node_state::serving});
}

TEST_CASE("a server of the same name with another data directory is not the node") {
    auto existing = three_nodes();
    auto zone = watching();
    existing.servers["muster-2"].instance = "another";

    CHECK(states_in(look(zone, existing, start)) == std::vector{node_state::suspect});
}

TEST_CASE("an offline node is left alone, whether its server is still listed or not") {
    auto existing = three_nodes();
    auto zone = watching();
    existing.nodes["muster-2"].state = node_state::offline;

    CHECK(look(zone, existing, start).empty());
    existing.servers.erase("muster-2");
    CHECK(look(zone, existing, start + 24h).empty());
}

TEST_CASE("a topology from before the driver's own write decides nothing about that node") {
    auto existing = three_nodes();
    auto zone = watching();
    existing.servers.erase("muster-2");
    REQUIRE_FALSE(look(zone, existing, start).empty());

    zone.on_state_written(node_number(2), kv::revision(11));

    CHECK_FALSE(zone.is_up_to_date(existing));
    CHECK(look(zone, existing, start + 1s).empty());
    existing.revision = kv::revision(11);
    CHECK(zone.is_up_to_date(existing));
}

TEST_CASE("a hold is told until it is on record, also while the suspicions cannot be recorded") {
    auto existing = three_nodes();
    auto zone = watching();
    existing.servers.erase("muster-1");
    existing.servers.erase("muster-2");
    const auto holds = [](const membership::effects& all) {
        return std::ranges::count_if(all, [](const membership::effect& effect) {
            return std::holds_alternative<membership::freeze_zone>(effect)
                   || std::holds_alternative<membership::unfreeze_zone>(effect);
        });
    };

    CHECK(holds(look(zone, existing, start)) == 1);
    CHECK(holds(look(zone, existing, start + 1s)) == 1);
    const auto again = look(zone, existing, start + 1s);
    CHECK(again.back() == membership::effect(membership::freeze_zone{.missing = 2, .members = 3}));
    zone.on_hold_recorded(kv::revision(11));
    CHECK(holds(look(zone, existing, start + 2s)) == 0);
    existing.revision = kv::revision(11);
    CHECK(holds(look(zone, existing, start + 3s)) == 1);  // somebody took it away
    existing.freezes["default"] = {};
    CHECK(holds(look(zone, existing, start + 4s)) == 0);

    CHECK(zone.is_holding());
}

TEST_CASE("a verdict that could not be recorded is given again, without a new delay") {
    auto existing = three_nodes();
    auto zone = watching();
    existing.servers.erase("muster-2");
    REQUIRE_FALSE(look(zone, existing, start).empty());
    existing.nodes["muster-2"].state = node_state::suspect;
    REQUIRE(states_in(look(zone, existing, start + 60s)) == std::vector{node_state::faulty});

    CHECK(states_in(look(zone, existing, start + 61s)) == std::vector{node_state::faulty});
}

TEST_CASE("suspects and stopped nodes keep their slots, drained ones give them away") {
    auto existing = three_nodes();
    existing.nodes["muster-1"].state = node_state::suspect;
    existing.nodes["muster-2"].leaving = true;
    existing.nodes["muster-2"].systems_max = 500;
    existing.nodes["muster-3"].state = node_state::faulty;

    const auto members =
        members_of(nodes_by_zone(existing).at("default"), {{node_number(1), 2048}});

    REQUIRE(members.size() == 2);
    CHECK(members[0].state == placement::member_state::away);
    CHECK(members[0].capacity == 2048);
    CHECK(members[1].state == placement::member_state::leaving);
    CHECK(members[1].load_max == 500);
}

}  // namespace
}  // namespace muster::driver
