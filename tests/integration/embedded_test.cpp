#include "adapters/os/file.h"
#include "adapters/pki/authority.h"
#include "runtime/clock.h"
#include "tests/integration/muster_server.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/json.hpp>
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <csignal>
#include <fstream>

namespace muster::integration {
namespace {

mode_t mode_of(const std::filesystem::path& file) {
    struct stat stat{};
    REQUIRE(::stat(file.c_str(), &stat) == 0);
    return stat.st_mode & 0777U;
}

std::string cluster_id(const muster_server& server) {
    const auto output = server.cli({"cluster", "-o", "json"});
    REQUIRE_MESSAGE(output.exit_code == 0, output.output);
    return boost::json::value_to<std::string>(boost::json::parse(output.output).at("id"));
}

TEST_CASE("a first start makes a cluster one can log in to and look at") {
    muster_server server;
    server.start_and_wait_until_ready();

    CHECK(mode_of(server.data() / "first-password") == 0600);
    CHECK(mode_of(server.data() / "ca-key.pem") == 0600);
    CHECK(server.cli({"nodes"}).exit_code == 3);
    const auto first = (server.data() / "first-password").string();
    CHECK(server.cli({"login", "--user", "admin", "--password-file", first}).exit_code == 0);
    CHECK(server.cli({"nodes"}).exit_code == 3);  // the first password is for choosing another
    const auto logged_in = server.login();
    CHECK_MESSAGE(logged_in.exit_code == 0, logged_in.output);
    CHECK(logged_in.output.contains("Logged in"));
    const auto nodes = server.cli({"nodes"});
    CHECK(nodes.output.contains("muster-1"));
    CHECK(nodes.output.contains("serving"));
    CHECK(server.cli({"nodes", "show", "muster-1"}).output.contains("driver,gateway,node"));
    CHECK(cluster_id(server).size() == 32);
    CHECK(server.cli({"cluster", "-o", "yaml"}).output.contains("\"ready\": true"));

    CHECK(server.stop() == 0);
}

TEST_CASE("without a terminal the log says how to log in, and not the password") {
    muster_server server;
    server.start_and_wait_until_ready();
    const auto password = server.data() / "first-password";

    CHECK(server.stop() == 0);

    CHECK(server.log().contains(password.string()));
    CHECK(server.log().contains((server.data() / "ca.pem").string()));
    CHECK_FALSE(server.log().contains(text_of(password).substr(0, 8)));
}

TEST_CASE("health, readiness, metrics and the Cluster UI are served") {
    muster_server server;
    server.start_and_wait_until_ready();

    CHECK(server.health("/healthz").exit_code == 200);
    CHECK(server.health("/readyz").output.contains(R"("metastore":{"state":"answers")"));
    const auto metrics = server.health("/metrics");
    CHECK(metrics.output.contains("muster_ready 1"));
    CHECK(metrics.output.contains("muster_engine_up{engine=\"ledger\"} 1"));
    CHECK(server.get("/").exit_code == 302);
    const auto page = server.get("/ui/search?q=tag:db");
    CHECK(page.exit_code == 200);
    CHECK(page.output.contains("<title>muster</title>"));
    CHECK(server.get("/docs").exit_code == 200);
    CHECK(server.get("/ui/assets/none.js").exit_code == 404);
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

TEST_CASE("a second SIGTERM ends a server at once that waits for its connections") {
    muster_server server({"--drain-timeout", "1m"});
    server.start_and_wait_until_ready();
    boost::asio::io_context loop;
    boost::asio::ip::tcp::socket lingering(loop);
    lingering.connect({boost::asio::ip::address_v4::loopback(), server.port()});
    harness::eventually("the connection is there", [&] {
        return server.health("/metrics")
            .output.contains("muster_http_connections{port=\"public\"} 1");
    });

    server.send_signal(SIGTERM);
    harness::eventually(
        "the server drains", [&] { return server.log().contains("shutdown started"); });
    CHECK(server.running());
    server.send_signal(SIGTERM);

    CHECK(server.wait_for_exit() == 1);
    CHECK_FALSE(server.log().contains("drain timed out"));
    CHECK(server.log().contains("immediate shutdown requested"));
}

TEST_CASE("a stop that cuts connections at the end of its time says how many") {
    muster_server server({"--drain-timeout", "1s"});
    server.start_and_wait_until_ready();
    boost::asio::io_context loop;
    boost::asio::ip::tcp::socket lingering(loop);
    lingering.connect({boost::asio::ip::address_v4::loopback(), server.port()});
    harness::eventually("the connection is there", [&] {
        return server.health("/metrics")
            .output.contains("muster_http_connections{port=\"public\"} 1");
    });

    CHECK(server.stop() == 0);

    CHECK(server.log().contains("drain timed out"));
}

// Another certificate of the cluster's CA, put where the server looks for its own; its serial.
std::string renew_certificate(const muster_server& of) {
    const auto authority =
        pki::authority::from_pem(text_of(of.data() / "ca.pem"), text_of(of.data() / "ca-key.pem"));
    REQUIRE(authority.has_value());
    const auto fresh = authority->issue(
        {.name = "muster-1", .hosts = {"127.0.0.1"}, .now = runtime::system_clock().wall()});
    REQUIRE(fresh.has_value());
    const auto key = fresh->key.to_pem();
    const auto chain = fresh->chain.front().to_pem();
    REQUIRE(os::save_file({.file = of.data() / "server-key.pem", .text = key}).has_value());
    REQUIRE(os::save_file({.file = of.data() / "server.pem", .text = chain}).has_value());
    const auto output =
        run({"openssl", "x509", "-noout", "-serial", "-in", (of.data() / "server.pem").string()});
    return output.output.substr(output.output.find('=') + 1, output.output.find('\n') - 7);
}

TEST_CASE("SIGHUP takes over a new certificate and log level without a restart") {
    const harness::temporary_directory beside("settings");
    const auto settings = beside.path() / "muster.yaml";
    std::ofstream(settings) << "log.level: warning\n";
    muster_server server({"--config", settings.string()});
    server.start_and_wait_until_ready();
    const auto before = server.certificate_serial();
    const auto pid = server.pid();
    REQUIRE_FALSE(before.empty());

    const auto renewed = renew_certificate(server);
    REQUIRE(renewed != before);
    CHECK(server.certificate_serial() == before);
    std::ofstream(settings) << "log.level: info\n";
    server.send_signal(SIGHUP);

    harness::eventually(
        "a new connection sees it", [&] { return server.certificate_serial() == renewed; });
    server.send_signal(SIGHUP);
    harness::eventually("the new level is in force", [&] {
        return server.log().contains("certificate and log level reload started");
    });
    CHECK(server.get("/healthz").exit_code == 200);
    CHECK(server.pid() == pid);
    CHECK(server.running());
}

}  // namespace
}  // namespace muster::integration
