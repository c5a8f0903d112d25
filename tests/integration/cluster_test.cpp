#include "tests/harness/etcd_cluster.h"
#include "tests/harness/nats_cluster.h"
#include "tests/harness/postgres_server.h"
#include "tests/harness/process.h"
#include "tests/integration/muster_server.h"

#include <doctest/doctest.h>

namespace muster::integration {
namespace {

// Real etcd, NATS and PostgreSQL, one of each.
struct real_engines {
    harness::etcd_cluster etcd;
    harness::nats_cluster nats;
    harness::postgres_server postgres;

    real_engines() {
        nats.wait_until_ready();
        postgres.create_database("muster");
    }

    std::vector<std::string> flags() const {
        return {
            "--metastore",
            "etcd://" + etcd.endpoints().front(),
            "--bus",
            "nats://127.0.0.1:" + std::to_string(nats.port(0)),
            "--ledger",
            postgres.address("muster"),
            "--ledger-tls",
            "off"};
    }
};

// What needs an engine that is away is refused for now, and the client is told when to ask again.
void check_refused_for_now(
    const muster_server& server, const std::string& path, std::vector<std::string> flags = {}) {
    flags.insert(
        flags.end(), {"--include", "--header", "Authorization: Bearer " + server.bearer()});
    const auto answer = server.get(path, flags);
    CAPTURE(answer.output);
    CHECK(answer.exit_code == 503);
    CHECK(answer.output.contains("retry-after: "));
    CHECK(answer.output.contains("application/problem+json"));
}

TEST_CASE(
    "on etcd, NATS and PostgreSQL the same server starts, survives kill -9 and lost engines") {
    real_engines engines;
    muster_server server(engines.flags());
    server.start_and_wait_until_ready();
    REQUIRE(server.login().exit_code == 0);
    CHECK(server.cli({"nodes"}).output.contains("muster-1"));

    server.kill();
    server.start_and_wait_until_ready();
    CHECK(server.cli({"nodes"}).output.contains("muster-1"));

    SUBCASE("etcd is lost and comes back") {
        engines.etcd.kill(0);
        server.wait_until_not_ready();
        CHECK(server.health("/readyz").output.contains(R"("metastore":{"state":"does not)"));
        CHECK(server.cli({"nodes"}).exit_code == 0);  // from memory
        CHECK(server.cli({"zones", "add", "eu"}).exit_code == 4);
        check_refused_for_now(server, "/api/v1/zones", {"--json", R"({"name":"eu"})"});
        CHECK(server.health("/healthz").exit_code == 200);
        engines.etcd.start(0);
        server.wait_until_ready();
        CHECK(server.cli({"nodes"}).exit_code == 0);
    }
    SUBCASE("PostgreSQL is lost and comes back") {
        engines.postgres.kill();
        server.wait_until_not_ready();
        CHECK(server.health("/readyz").output.contains(R"("ledger":{"state":"does not)"));
        CHECK(server.cli({"nodes"}).exit_code == 0);
        check_refused_for_now(server, "/api/v1/audit");
        // Not reachable, or without an answer in time: never let in.
        const auto refused = server.login().exit_code;
        CHECK((refused == 4 || refused == 5));
        engines.postgres.start();
        server.wait_until_ready();
        CHECK(server.login().exit_code == 0);
    }
    SUBCASE("NATS is lost and comes back") {
        engines.nats.kill(0);
        server.wait_until_not_ready();
        CHECK(server.health("/readyz").output.contains(R"("bus":{"state":"does not)"));
        CHECK(server.cli({"nodes"}).exit_code == 0);
        CHECK(server.login().exit_code == 0);
        engines.nats.launch(0);
        server.wait_until_ready();
    }
    SUBCASE("a server that starts before its engines waits for them") {
        CHECK(server.stop() == 0);
        engines.etcd.kill(0);
        engines.postgres.kill();
        server.start();
        server.wait_until_not_ready();
        harness::eventually("the port for people is open, too", [&] {
            return server.get("/readyz").exit_code == 503;
        });
        CHECK(server.get("/api/v1/nodes").exit_code == 503);
        engines.etcd.start(0);
        engines.postgres.start();
        server.wait_until_ready();
        CHECK(server.cli({"nodes"}).exit_code == 0);
    }
    CHECK(server.stop() == 0);
}

TEST_CASE("a second server with the cluster's CA joins, one without is told what to do") {
    real_engines engines;
    muster_server first(engines.flags());
    first.start_and_wait_until_ready();
    REQUIRE(first.login().exit_code == 0);
    auto flags = engines.flags();
    flags.insert(flags.end(), {"--name", "muster-2"});
    muster_server second(flags);

    const auto refused = second.run_to_end();
    CHECK(refused.exit_code == 1);
    CHECK(refused.output.contains("copy ca.pem and ca-key.pem"));
    for (const auto* file : {"ca.pem", "ca-key.pem"})
        std::filesystem::copy_file(first.data() / file, second.data() / file);
    second.start_and_wait_until_ready();

    CHECK(first.cli({"nodes"}).output.contains("muster-1"));
    // It waits in the pool, since it came without a token.
    harness::eventually("muster-2 is in the pool", [&] {
        return first.cli({"nodes", "show", "muster-2"}).output.contains("pooled");
    });
    CHECK(second.stop() == 0);
    harness::eventually("muster-2 is seen to be gone", [&] {
        return first.cli({"nodes", "show", "muster-2", "-o", "json"})
            .output.contains(R"("there":false)");
    });
}

}  // namespace
}  // namespace muster::integration
