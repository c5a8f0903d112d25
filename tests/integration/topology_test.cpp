#include "tests/harness/process.h"
#include "tests/integration/muster_server.h"
#include "tests/integration/shared_engines.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace muster::integration {
namespace {

using namespace std::chrono_literals;
namespace json = boost::json;

std::string trimmed(std::string text) {
    while (text.ends_with('\n')) text.pop_back();
    return text;
}

// A member of one node as `muster nodes show NAME -o json` has it; null when there is none.
json::value of_node(const muster_server& at, const std::string& name, const char* member) {
    const auto output = at.cli({"nodes", "show", name, "-o", "json"});
    json::error_code failure;
    const auto parsed = json::parse(output.output, failure);
    if (output.exit_code != 0 || failure || !parsed.is_object()) return nullptr;
    const auto* match = parsed.as_object().if_contains(member);
    return match == nullptr ? json::value(nullptr) : *match;
}

void wait_for(const muster_server& at, const std::string& name, const char* state) {
    harness::eventually(
        name + " is " + state,
        [&] { return of_node(at, name, "state") == json::value(state); },
        30s);
}

void wait_for_slots(const muster_server& at, const std::string& name, std::int64_t slots) {
    harness::eventually(
        name + " has its slots",
        [&] { return of_node(at, name, "slots") == json::value(slots); },
        30s);
}

// Half of the slots, as near as the planner cares for.
void wait_for_its_share(const muster_server& at, const std::string& name) {
    harness::eventually(
        name + " has its share of the slots",
        [&] {
            const auto slots = of_node(at, name, "slots");
            return slots.is_int64() && slots.as_int64() > 7500 && slots.as_int64() < 8900;
        },
        30s);
}

TEST_CASE("the first server has all slots, and zones are made, described and removed") {
    muster_server server;
    server.start_and_wait_until_ready();
    REQUIRE(server.login().exit_code == 0);

    wait_for(server, "muster-1", "serving");
    wait_for_slots(server, "muster-1", 16384);

    CHECK(server.cli({"zones"}).output.contains("default"));
    CHECK(server.cli({"zones", "add", "germany"}).exit_code == 0);
    CHECK(server.cli({"zones", "add", "munich", "--parent", "germany"}).exit_code == 0);
    CHECK(server.cli({"zones", "set", "munich", "--disaster-timeout", "1m"}).exit_code == 0);
    harness::eventually(
        "the change is seen",
        [&] { return server.cli({"zones", "show", "munich", "-o", "json"}).output.contains("60"); },
        10s);
    const auto circle = server.cli({"zones", "set", "germany", "--parent", "munich"});
    CHECK(circle.exit_code != 0);
    CHECK(circle.output.contains("inside zone \"germany\""));
    CHECK(server.cli({"zones", "remove", "germany"}).output.contains("still contains 1 zones"));
    CHECK(server.cli({"zones", "remove", "munich"}).exit_code == 0);
    CHECK(server.cli({"zones", "stats", "default", "-o", "json"}).output.contains("16384"));
    CHECK(server.cli({"zones", "remove", "nowhere"}).output.contains("not found"));
}

TEST_CASE("a server joins by token once; stopped it keeps its slots, killed it loses them") {
    const shared_engines engines;
    muster_server first(engines.flags());
    first.start_and_wait_until_ready();
    REQUIRE(first.login().exit_code == 0);
    REQUIRE(first.cli({"zones", "set", "default", "--disaster-timeout", "10s"}).exit_code == 0);
    wait_for_slots(first, "muster-1", 16384);
    const auto token = trimmed(first.cli({"nodes", "token", "--zone", "default"}).output);
    REQUIRE(token.contains("@127.0.0.1:"));

    const auto token_file = first.data() / "token";
    std::ofstream(token_file) << token << "\n";
    muster_server second(engines.flags({"--name", "muster-2", "--join-file", token_file.string()}));
    second.start_and_wait_until_ready();
    std::filesystem::remove(token_file);
    wait_for(first, "muster-2", "serving");
    wait_for_its_share(first, "muster-2");
    const auto share = of_node(first, "muster-2", "slots");

    muster_server replay(engines.flags({"--name", "muster-3", "--join", token}));
    const auto refused = replay.run_to_end();
    CHECK(refused.exit_code == 1);
    CHECK(refused.output.contains("unknown, used or expired"));
    auto forged = token;
    forged[40] = forged[40] == '0' ? '1' : '0';  // another CA
    muster_server stranger(engines.flags({"--name", "muster-3", "--join", forged}));
    CHECK(stranger.run_to_end().output.contains("does not present the CA"));

    REQUIRE(second.stop() == 0);
    CHECK(of_node(first, "muster-2", "state") == json::value("offline"));
    CHECK(of_node(first, "muster-2", "slots") == share);
    second.start_and_wait_until_ready();
    wait_for(first, "muster-2", "serving");
    CHECK(of_node(first, "muster-2", "slots") == share);

    second.kill();
    wait_for(first, "muster-2", "suspect");
    wait_for(first, "muster-2", "faulty");
    wait_for_slots(first, "muster-1", 16384);
    second.start_and_wait_until_ready();
    wait_for(first, "muster-2", "pooled");
    CHECK(of_node(first, "muster-2", "slots") == json::value(0));

    REQUIRE(first.cli({"nodes", "stage", "muster-2"}).exit_code == 0);
    harness::eventually(
        "it is wiped",
        [&] { return of_node(first, "muster-2", "wiped") == json::value(true); },
        30s);
    REQUIRE(first.cli({"nodes", "accept", "muster-2", "--zone", "default"}).exit_code == 0);
    wait_for_its_share(first, "muster-2");
    REQUIRE(first.cli({"nodes", "drain", "muster-2"}).exit_code == 0);
    wait_for_slots(first, "muster-2", 0);
    CHECK(first.cli({"nodes", "remove", "muster-2"}).exit_code == 0);
    CHECK(second.stop() == 0);
}

}  // namespace
}  // namespace muster::integration
