// Servers that have some of the roles only.

#include "tests/integration/shared_engines.h"
#include "tests/integration/three_server_fixture.h"

#include <doctest/doctest.h>

#include <string>

namespace muster::integration {
namespace {

TEST_CASE("a server that is a node only takes agents and offers no login, no API and no pages") {
    constexpr std::int64_t agents = 10;
    const shared_engines engines;
    muster_server front(engines.flags({"--name", "front", "--roles", "driver,gateway"}));
    front.start_and_wait_until_ready();
    REQUIRE(front.login().exit_code == 0);
    // The first node would make the first zone; who has none makes it by hand.
    REQUIRE(front.cli({"zones", "add", "default"}).exit_code == 0);
    const auto token = front.cli({"nodes", "token", "--zone", "default"});
    REQUIRE(token.exit_code == 0);
    const auto invitation = token.output.substr(0, token.output.find('\n'));
    muster_server worker(
        engines.flags({"--name", "worker", "--roles", "node", "--join", invitation}));
    worker.start_and_wait_until_ready();
    const swarm fleet(
        {.servers = {"https://127.0.0.1:" + std::to_string(front.port())},
         .ca = front.data() / "ca.pem",
         .count = agents});

    wait_until_new(front, agents);
    accept_all(front);
    wait_until_attached(front, agents);

    CHECK(attached_by_node(front).at("worker") == agents);
    CHECK(worker.get("/healthz").exit_code == 200);
    for (const auto* path : {"/", "/api/v1/nodes", "/api/v1/systems", "/openapi.json", "/docs"})
        CHECK_MESSAGE(worker.get(path).exit_code == 404, path);
    const auto message = R"({"user":"admin","password":"x"})";
    CHECK(worker.get("/api/v1/login", {"-d", message}).exit_code == 404);
    CHECK(front.get("/api/v1/login", {"-d", message}).exit_code != 404);
    CHECK(worker.get("/rpc/api", {"-d", "<methodCall/>"}).exit_code == 404);
    CHECK(worker.get("/system/status?fp=00").exit_code == 404);
    CHECK(front.cli({"nodes"}).output.contains("worker"));
    CHECK_FALSE(attached_by_node(front).contains("front"));
    const auto done = front.cli({"run", "*", "--yes", "--function", "test.ping"});
    CHECK_MESSAGE(done.exit_code == 0, done.output);
}

TEST_CASE("driver, node and gateway on three servers do together what one server does") {
    constexpr std::int64_t agents = 10;
    const shared_engines engines;
    muster_server gateway(engines.flags({"--name", "gateway", "--roles", "gateway"}));
    gateway.start_and_wait_until_ready();
    REQUIRE(gateway.login().exit_code == 0);
    REQUIRE(gateway.cli({"zones", "add", "default"}).exit_code == 0);
    const auto invite = [&gateway] {
        const auto token = gateway.cli({"nodes", "token", "--zone", "default"});
        REQUIRE(token.exit_code == 0);
        return token.output.substr(0, token.output.find('\n'));
    };
    muster_server driver(
        engines.flags({"--name", "driver", "--roles", "driver", "--join", invite()}));
    driver.start_and_wait_until_ready();
    muster_server node(engines.flags({"--name", "node", "--roles", "node", "--join", invite()}));
    node.start_and_wait_until_ready();
    // Systems are let in by the driver, too.
    const swarm fleet(
        {.servers = {"https://127.0.0.1:" + std::to_string(driver.port())},
         .ca = gateway.data() / "ca.pem",
         .count = agents});

    wait_until_new(gateway, agents);
    accept_all(gateway);
    wait_until_attached(gateway, agents);

    CHECK(attached_by_node(gateway).at("node") == agents);
    CHECK(driver.get("/api/v1/systems").exit_code == 404);
    const auto done = gateway.cli({"run", "*", "--yes", "--function", "test.ping"});
    CHECK_MESSAGE(done.exit_code == 0, done.output);
}

}  // namespace
}  // namespace muster::integration
