#include "tests/integration/muster_server.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <csignal>
#include <fstream>

namespace muster::integration {
namespace {

mode_t mode_of(const std::filesystem::path& file) {
    struct stat found{};
    REQUIRE(::stat(file.c_str(), &found) == 0);
    return found.st_mode & 0777U;
}

std::string cluster_id(const muster_server& server) {
    const auto shown = server.cli({"cluster", "-o", "json"});
    REQUIRE_MESSAGE(shown.exit_code == 0, shown.output);
    return boost::json::value_to<std::string>(boost::json::parse(shown.output).at("id"));
}

TEST_CASE("a first start makes a cluster one can log in to and look at") {
    muster_server server;
    server.start_and_wait_until_ready();

    CHECK(mode_of(server.data() / "first-password") == 0600);
    CHECK(mode_of(server.data() / "ca-key.pem") == 0600);
    CHECK(server.cli({"nodes"}).exit_code == 3);
    const auto logged_in = server.login();
    CHECK_MESSAGE(logged_in.exit_code == 0, logged_in.output);
    CHECK(logged_in.output.contains("Logged in"));
    const auto nodes = server.cli({"nodes"});
    CHECK(nodes.output.contains("muster-1"));
    CHECK(nodes.output.contains("driver,gateway,node"));
    CHECK(cluster_id(server).size() == 32);
    CHECK(server.cli({"cluster", "-o", "yaml"}).output.contains("\"ready\": true"));

    CHECK(server.stop() == 0);
}

TEST_CASE("health, readiness, metrics and the landing page are served") {
    muster_server server;
    server.start_and_wait_until_ready();

    CHECK(server.health("/healthz").exit_code == 200);
    CHECK(server.health("/readyz").output.contains(R"("metastore":{"state":"answers")"));
    const auto metrics = server.health("/metrics");
    CHECK(metrics.output.contains("muster_ready 1"));
    CHECK(metrics.output.contains("muster_engine_up{engine=\"ledger\"} 1"));
    const auto page = server.get("/");
    CHECK(page.exit_code == 200);
    CHECK(page.output.contains("muster-1"));
    CHECK(server.get("/metrics").exit_code == 404);
    CHECK(server.get("/api/v1/nodes").exit_code == 401);
    CHECK(server.get("/api/v1/nodes", {"-H", "Authorization: Bearer no"}).exit_code == 401);
}

TEST_CASE("kill -9 and a restart keep the cluster, the users and the logins") {
    muster_server server;
    server.start_and_wait_until_ready();
    REQUIRE(server.login().exit_code == 0);
    const auto before = cluster_id(server);

    server.kill();
    CHECK(server.cli({"nodes"}).exit_code == 4);
    server.start_and_wait_until_ready();

    CHECK(cluster_id(server) == before);
    CHECK(server.login().exit_code == 0);
    CHECK(server.cli({"nodes"}).output.contains("muster-1"));
}

TEST_CASE("a server killed at any moment of its first start comes up at the next") {
    for (const auto delay : {5, 40, 80, 120, 160, 220, 300}) {
        CAPTURE(delay);
        muster_server server;
        server.start();
        harness::eventually("some of the first start is done", [&, tick = 0]() mutable {
            return ++tick * 20 >= delay;
        });
        server.kill();

        server.start_and_wait_until_ready();
        CHECK(server.login().exit_code == 0);
    }
}

TEST_CASE("wrong passwords are refused, then slowed down, and recorded") {
    muster_server server({"--login-attempts-max", "3"});
    server.start_and_wait_until_ready();
    const auto wrong = server.data() / "wrong";
    std::ofstream(wrong) << "not this\n";
    ::chmod(wrong.c_str(), 0600);

    for (int attempt = 0; attempt < 3; ++attempt) {
        const auto refused = server.login(wrong.string());
        CHECK(refused.exit_code == 3);
        CHECK(refused.output.contains("wrong user or password"));
    }
    const auto limited = server.login();
    CHECK(limited.exit_code == 3);
    CHECK(limited.output.contains("too many"));
    const auto metrics = server.health("/metrics");
    CHECK(metrics.output.contains("muster_logins_total{outcome=\"refused\"} 3"));
    CHECK(metrics.output.contains("muster_logins_total{outcome=\"limited\"} 1"));
}

TEST_CASE("SIGTERM takes the server off the list and ends it with 0") {
    muster_server server;
    server.start_and_wait_until_ready();

    CHECK(server.stop() == 0);

    CHECK(server.log().contains("stopped"));
}

TEST_CASE("SIGHUP takes over a new certificate and log level without a restart") {
    muster_server server;
    const auto settings = server.data().parent_path() / "muster.yaml";
    std::ofstream(settings) << "log.level: warning\n";
    muster_server configured({"--config", settings.string()});
    configured.start_and_wait_until_ready();
    CHECK_FALSE(configured.log().contains("reloading"));

    std::ofstream(settings) << "log.level: info\n";
    configured.send_signal(SIGHUP);
    harness::eventually("the certificate is shown again", [&] {
        configured.send_signal(SIGHUP);
        return configured.log().contains("showing certificate");
    });

    CHECK(configured.get("/healthz").exit_code == 200);
}

}  // namespace
}  // namespace muster::integration
