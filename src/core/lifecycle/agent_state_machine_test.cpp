#include "core/lifecycle/agent_state_machine.h"

#include <doctest/doctest.h>

#include <string>

namespace muster::lifecycle {
namespace {

using namespace std::chrono_literals;
using session::reason;

constexpr instant start_time{};
const std::string node1 = "node1:8443";
const std::string node2 = "node2:8443";

agent_state_machine effects(std::size_t entries = 1) {
    return agent_state_machine({.entries = entries}, prng(7));
}

// Accepted, placed and welcomed.
agent_state_machine attached_to(const std::string& node) {
    auto life = effects();
    CHECK(life.start(start_time) == agent_effects{request_status{0}});
    CHECK(life.on_state(system_state::orphan, start_time) == agent_effects{request_placement{0}});
    CHECK(life.on_placement(node, start_time) == agent_effects{open_connection{node}});
    CHECK(life.on_welcome(start_time) == agent_effects{enter_state{system_state::onboarded, node}});
    return life;
}

agent_effects next(agent_state_machine& life) {
    REQUIRE(life.next_deadline().has_value());
    return life.expire(*life.next_deadline());
}

TEST_CASE("an unknown system enrols once and then knocks at the interval") {
    auto life = effects();
    CHECK(life.start(start_time) == agent_effects{request_status{0}});

    CHECK(
        life.on_state(system_state::fresh, start_time)
        == agent_effects{enter_state{system_state::fresh, ""}, enrol{0}});
    CHECK(life.on_state(system_state::fresh, start_time).empty());
    const auto pause = *life.next_deadline() - start_time;

    CHECK(pause >= 7500ms);
    CHECK(pause <= 12500ms);
    CHECK(life.expire(start_time + 1s).empty());
    CHECK(next(life) == agent_effects{request_status{0}});
    CHECK(life.on_state(system_state::fresh, start_time + 10s).empty());
}

TEST_CASE("a system that stays new for long enrols again, because the pool may have forgotten it") {
    auto life = effects();
    CHECK(life.start(start_time).size() == 1);
    CHECK(life.on_state(system_state::fresh, start_time).size() == 2);
    CHECK(life.on_state(system_state::fresh, start_time).empty());
    CHECK(next(life) == agent_effects{request_status{0}});

    CHECK(life.on_state(system_state::fresh, start_time + 11min) == agent_effects{enrol{0}});
}

TEST_CASE("a failing entry is left for the next one, and no earlier than it asked for") {
    auto life = effects(3);
    CHECK(life.start(start_time) == agent_effects{request_status{0}});

    CHECK(life.on_request_failed(30s, start_time).empty());
    CHECK(*life.next_deadline() >= start_time + 30s);
    CHECK(next(life) == agent_effects{request_status{1}});
    CHECK(life.on_request_failed({}, start_time).empty());
    CHECK(next(life) == agent_effects{request_status{2}});
    CHECK(life.on_request_failed(24h, start_time).empty());
    CHECK(*life.next_deadline() <= start_time + 17min);
}

TEST_CASE("without a place the system is an orphan and asks again when told to") {
    auto life = effects();
    CHECK(life.start(start_time).size() == 1);
    CHECK(
        life.on_state(system_state::onboarded, start_time) == agent_effects{request_placement{0}});

    CHECK(
        life.on_no_placement(20s, start_time)
        == agent_effects{enter_state{system_state::orphan, ""}});
    CHECK(*life.next_deadline() >= start_time + 20s);
    CHECK(next(life) == agent_effects{request_placement{0}});
    CHECK(life.on_no_placement(20s, start_time).empty());
}

TEST_CASE("a broken channel is opened again without disturbing what runs on the system") {
    auto life = attached_to(node1);

    CHECK(life.on_connection_end({.why = reason::broken}, start_time + 1h).empty());
    CHECK(next(life) == agent_effects{open_connection{node1}});
    CHECK(life.on_connection_end({.why = reason::broken}, start_time + 1h).empty());
    CHECK(next(life) == agent_effects{request_placement{0}});
    CHECK(life.on_placement(node1, start_time + 1h) == agent_effects{open_connection{node1}});
    CHECK(life.on_welcome(start_time + 1h).empty());
}

TEST_CASE("the node is tried when the entry does not answer") {
    auto life = attached_to(node1);
    CHECK(life.on_connection_end({.why = reason::silent}, start_time).empty());
    CHECK(next(life) == agent_effects{open_connection{node1}});
    CHECK(life.on_connection_end({.why = reason::broken}, start_time).empty());
    CHECK(next(life) == agent_effects{request_placement{0}});

    CHECK(life.on_request_failed({}, start_time).empty());

    CHECK(next(life) == agent_effects{open_connection{node1}});
}

TEST_CASE("a moved system goes straight to the address and is an orphan on the way") {
    auto life = attached_to(node1);

    const auto moved =
        life.on_connection_end({.why = reason::moved, .address = node2}, start_time + 1h);

    CHECK(moved == agent_effects{enter_state{system_state::orphan, ""}, open_connection{node2}});
    CHECK(
        life.on_welcome(start_time + 1h)
        == agent_effects{enter_state{system_state::onboarded, node2}});
}

TEST_CASE("two nodes that send an agent to each other do not keep it running") {
    auto life = attached_to(node1);
    std::string at = node1;
    int opened = 0;
    while (opened < 100) {
        at = at == node1 ? node2 : node1;
        const auto out = life.on_connection_end({.why = reason::moved, .address = at}, start_time);
        if (life.next_deadline()) break;
        ++opened;
        REQUIRE(out.back() == agent_effect(open_connection{at}));
        (void)life.on_welcome(start_time);
    }

    CHECK(opened == 5);
}

TEST_CASE("a fenced node's channel is kept until the entry names another node") {
    auto life = attached_to(node1);
    CHECK(life.on_node_fenced(start_time).empty());
    CHECK(life.on_node_fenced(start_time + 10s) == agent_effects{request_placement{0}});
    CHECK(life.on_node_fenced(start_time + 10s).empty());

    CHECK(life.on_request_failed({}, start_time + 10s).empty());
    CHECK(life.is_attached());
    CHECK(life.on_node_fenced(start_time + 20s) == agent_effects{request_placement{0}});
    CHECK(life.on_no_placement(1s, start_time + 20s).empty());
    CHECK(life.on_node_fenced(start_time + 30s) == agent_effects{request_placement{0}});
    CHECK(life.on_placement(node1, start_time + 30s).empty());
    CHECK(life.is_attached());
    CHECK(life.on_node_fenced(start_time + 40s) == agent_effects{request_placement{0}});

    CHECK(
        life.on_placement(node2, start_time + 40s)
        == agent_effects{
            close_connection{}, enter_state{system_state::orphan, ""}, open_connection{node2}});
}

TEST_CASE("a stopping node's systems wait as long as it asked and then ask for their place") {
    auto life = attached_to(node1);

    CHECK(life.on_connection_end({.why = reason::stopping, .retry_after = 5s}, start_time).empty());

    CHECK(*life.next_deadline() >= start_time + 5s);
    CHECK(next(life) == agent_effects{request_placement{0}});
}

TEST_CASE("Deleted is final, wherever it is heard") {
    const agent_effects last{enter_state{system_state::deleted, ""}, stop_permanently{}};
    auto knocking = effects();
    CHECK(knocking.start(start_time).size() == 1);
    CHECK(knocking.on_state(system_state::deleted, start_time) == last);

    auto asking = effects();
    CHECK(asking.start(start_time).size() == 1);
    CHECK(asking.on_state(system_state::orphan, start_time).size() == 1);
    CHECK(asking.on_state(system_state::deleted, start_time) == last);

    auto connected = attached_to(node1);
    CHECK(connected.on_connection_end({.why = reason::deleted}, start_time) == last);
    CHECK(connected.is_stopped());
    CHECK(connected.on_state(system_state::orphan, start_time).empty());
    CHECK(connected.on_welcome(start_time).empty());
    CHECK_FALSE(connected.next_deadline().has_value());
}

}  // namespace
}  // namespace muster::lifecycle
