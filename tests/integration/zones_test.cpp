#include "tests/harness/process.h"
#include "tests/integration/muster_server.h"
#include "tests/integration/shared_engines.h"
#include "tests/integration/three_server_fixture.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

// Systems that are moved from one zone to another.
namespace muster::integration {
namespace {

using namespace std::chrono_literals;
namespace json = boost::json;

constexpr std::int64_t agents = 12;
constexpr auto timeout = 90s;

// A node for each of two zones.
struct two_zones {
    shared_engines engines;
    muster_server here{engines.flags()};
    std::unique_ptr<muster_server> there;

    two_zones() {
        here.start_and_wait_until_ready();
        REQUIRE(here.login().exit_code == 0);
        REQUIRE(here.cli({"zones", "add", "munich"}).exit_code == 0);
        auto token = here.cli({"nodes", "token", "--zone", "munich"}).output;
        while (token.ends_with('\n')) token.pop_back();
        there =
            std::make_unique<muster_server>(engines.flags({"--name", "muster-2", "--join", token}));
        there->start_and_wait_until_ready();
        harness::eventually(
            "each zone has a node that serves all of it",
            [&] {
                return here.cli({"zones", "stats", "munich", "-o", "json"}).output.contains("16384")
                       && here.cli({"zones", "stats", "default", "-o", "json"})
                              .output.contains("16384");
            },
            timeout);
    }
    std::vector<std::string> urls() const {
        return {
            "https://127.0.0.1:" + std::to_string(here.port()),
            "https://127.0.0.1:" + std::to_string(there->port())};
    }
};

// The record without what a move changes: the zone, and that there is a newer version.
std::map<std::string, std::string> lasting(const muster_server& muster_server) {
    std::map<std::string, std::string> matches;
    for (const auto& [name, text] : records(muster_server)) {
        auto record = json::parse(text);
        record.as_object().erase("zone");
        record.as_object().erase("version");
        matches[name] = json::serialize(record);
    }
    return matches;
}

std::string zone_of(const muster_server& muster_server, const std::string& name) {
    const auto json = json_of(muster_server.cli({"systems", "show", name, "-o", "json"}));
    return std::string(json.at("zone").as_string());
}

TEST_CASE("systems that are moved attach to the other zone's node, and nothing else changes") {
    two_zones all;
    const swarm fleet({.servers = all.urls(), .ca = all.here.data() / "ca.pem", .count = agents});
    wait_until_new(all.here, agents);
    accept_all(all.here);
    wait_until_attached(all.here, agents);
    const auto before = lasting(all.here);
    const auto placed = nodes_of_systems(all.here);
    for (const auto& [name, node] : placed) CHECK(node == "muster-1");
    REQUIRE(
        all.here.cli({"systems", "move", "name:swarm-3", "--zone", "nowhere", "--yes"}).exit_code
        != 0);

    // swarm-1, swarm-10 and swarm-11
    REQUIRE(
        all.here.cli({"systems", "move", "name:swarm-1*", "--zone", "munich", "--yes"}).exit_code
        == 0);

    auto expected = placed;
    for (const auto* name : {"swarm-1", "swarm-10", "swarm-11"}) expected[name] = "muster-2";
    harness::eventually(
        "they are attached to the other node, and only they",
        [&] { return nodes_of_systems(all.here) == expected; },
        timeout);
    CHECK(lasting(all.here) == before);
    CHECK(zone_of(all.here, "swarm-11") == "munich");
    CHECK(zone_of(all.here, "swarm-2") == "default");
    // Each node works for its own.
    const auto done = all.here.cli({"run", "*", "--yes", "--function", "test.ping"});
    CHECK_MESSAGE(done.exit_code == 0, done.output);

    REQUIRE(
        all.here.cli({"systems", "move", "zone:munich", "--zone", "default", "--yes"}).exit_code
        == 0);
    harness::eventually(
        "they are back", [&] { return nodes_of_systems(all.here) == placed; }, timeout);
    CHECK(lasting(all.here) == before);
}

}  // namespace
}  // namespace muster::integration
