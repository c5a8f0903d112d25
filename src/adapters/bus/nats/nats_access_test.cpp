#include "adapters/bus/nats/frame.h"
#include "adapters/bus/nats/nats_bus.h"
#include "tests/harness/faulty_tcp_proxy.h"
#include "tests/harness/nats_cluster.h"
#include "tests/harness/real_event_loop.h"
#include "tests/harness/temporary_directory.h"
#include "tests/harness/test_certificates.h"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <doctest/doctest.h>

#include <fstream>
#include <memory>

namespace muster {
namespace {

using boost::asio::awaitable;
using namespace std::chrono_literals;

nats::options reaching(std::uint16_t port) {
    return {
        .servers = {"nats://localhost:" + std::to_string(port)},
        .timeout = 1s,
    };
}

std::unique_ptr<nats_bus> open(nats::options options) {
    auto opened = nats_bus::open(std::move(options));
    REQUIRE_MESSAGE(opened.has_value(), to_string(opened.error()));
    return std::move(*opened);
}

void write(const std::filesystem::path& file, const std::string& text) {
    std::ofstream(file) << text << "\n";
}

awaitable<void> publish_one(bus& through, result<void>& outcome) {
    outcome = co_await through.publish({.subject = "jobs.web1", .payload = "patch", .id = {}});
}

result<void> publish(bus& through) {
    result<void> outcome;
    harness::real_event_loop().run(publish_one(through, outcome));
    return outcome;
}

TEST_CASE("options that cannot work are refused at once, with the reason") {
    const auto refusal = [](nats::options options) {
        const auto opened = nats_bus::open(std::move(options));
        REQUIRE_FALSE(opened.has_value());
        CHECK(opened.error().code() == errc::invalid);
        return opened.error().detail();
    };
    const auto address = std::vector<std::string>{"nats://localhost:4222"};

    CHECK(refusal({}) == "nats: no server address; set nats://HOST:PORT");
    CHECK(
        refusal({.servers = {"nats://joe:secret@localhost"}})
        == "nats: server address must not contain a password; use a password file");
    CHECK(
        refusal({.servers = address, .access = {.user = "joe"}})
        == "nats: user and password file must be set together");
    CHECK(
        refusal({.servers = address, .access = {.ca_file = "/ca.pem"}})
        == "nats: certificates are set but TLS is disabled");
    CHECK(refusal({.servers = address, .replicas = 0}) == "nats: replicas must be 1 to 5");
    CHECK(
        refusal({.servers = address, .stream = "a.b"})
        == "nats: stream name \"a.b\" must consist of letters, digits, '-' and '_'");
}

TEST_CASE("the marks of a delivery are read from its reply subject, and from nothing else") {
    const nats::delivery_mark expected{
        .attempt = 2, .stream_sequence = 17, .consumer_sequence = 40};

    CHECK(nats::read_delivery_mark("$JS.ACK.MUSTER.jobs.2.17.40.1700000000.5") == expected);
    CHECK(nats::read_delivery_mark("$JS.ACK.hub.acc.MUSTER.jobs.2.17.40.1700000000.5") == expected);
    CHECK(nats::read_delivery_mark("$JS.ACK.hub.acc.MUSTER.jobs.2.17.40.170.5.rnd") == expected);
    for (const auto* const other :
         {"", "_INBOX.x", "$JS.ACK.MUSTER.jobs.2.17", "$JS.ACK.MUSTER.jobs.x.17.40.1.5"})
        CHECK_MESSAGE(!nats::read_delivery_mark(other), other);
}

TEST_CASE("mutual TLS and a password from a file let us in; without either we stay out") {
    const harness::temporary_directory directory("nats-tls");
    const auto at = [&directory](const char* file) {
        return (directory.path() / file).string();
    };
    harness::make_certificates(directory.path(), "server");
    const harness::nats_cluster servers(
        {.user = "muster",
         .password = "open sesame",
         .ca_file = at("ca.pem"),
         .certificate_file = at("server.pem"),
         .key_file = at("server.key")});
    write(at("password"), "open sesame");
    auto options = reaching(servers.port(0));
    options.access = {
        .tls = true,
        .ca_file = at("ca.pem"),
        .certificate_file = at("server.pem"),
        .key_file = at("server.key"),
        .user = "muster",
        .password_file = at("password")};

    CHECK(publish(*open(options)));

    SUBCASE("without a certificate of our own") {
        options.access.certificate_file.clear();
        options.access.key_file.clear();
        const auto refused = publish(*open(options));
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code() == errc::unavailable);
    }
    SUBCASE("when the server's certificate is of another authority") {
        const harness::temporary_directory elsewhere("nats-tls");
        harness::make_certificates(elsewhere.path(), "stranger");
        options.access.ca_file = (elsewhere.path() / "ca.pem").string();
        const auto refused = publish(*open(options));
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code() == errc::unavailable);
    }
    SUBCASE("when the server's certificate is for another name") {
        // Another way to write 127.0.0.1, which is not in the certificate.
        options.servers = {"nats://127.1:" + std::to_string(servers.port(0))};
        const auto refused = publish(*open(options));
        REQUIRE_FALSE(refused);
        CHECK(refused.error().detail().find("hostname mismatch") != std::string::npos);
    }
    SUBCASE("with a wrong password, until the file is put right") {
        write(at("password"), "wrong");
        const auto waiting = open(options);
        const auto refused = publish(*waiting);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code() == errc::unavailable);
        CHECK(refused.error().detail().find("Authorization Violation") != std::string::npos);
        write(at("password"), "open sesame");
        harness::eventually("we are let in", [&waiting] { return publish(*waiting).has_value(); });
    }
    SUBCASE("with a file that is not there, until it is") {
        options.access.password_file = at("later");
        const auto waiting = open(options);
        const auto refused = publish(*waiting);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().detail() == "nats: not sent: cannot read " + at("later"));
        write(at("later"), "open sesame");
        harness::eventually("we are let in", [&waiting] { return publish(*waiting).has_value(); });
    }
}

TEST_CASE("a bus opened before its servers works as soon as they do") {
    harness::nats_cluster servers;
    servers.kill(0);
    const auto early = open(reaching(servers.port(0)));

    const auto refused = publish(*early);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code() == errc::unavailable);
    servers.launch(0);
    servers.wait_until_ready();

    harness::eventually("it works", [&early] { return publish(*early).has_value(); });
    CHECK(early->is_connected());
}

TEST_CASE("a publish whose answer does not come is timed_out, and the next ones work again") {
    const harness::nats_cluster servers;
    harness::faulty_tcp_proxy nats_client(servers.port(0));
    const auto through = open(reaching(nats_client.port()));
    REQUIRE(publish(*through));

    nats_client.stall_answers();
    const auto unclear = publish(*through);
    REQUIRE_FALSE(unclear);
    CHECK(unclear.error().code() == errc::timed_out);
    nats_client.heal();
    harness::eventually("it works again", [&through] { return publish(*through).has_value(); });
}

TEST_CASE("a stream of the same name with other subjects is left alone") {
    const harness::nats_cluster servers;
    auto theirs = reaching(servers.port(0));
    theirs.prefix = "theirs";
    REQUIRE(publish(*open(theirs)));

    const auto refused = publish(*open(reaching(servers.port(0))));

    REQUIRE_FALSE(refused);
    CHECK(refused.error().code() == errc::conflict);
    CHECK(publish(*open(theirs)));
}

TEST_CASE("a stream of another name with our subjects is unavailable: it may be gone later") {
    const harness::nats_cluster servers;
    auto theirs = reaching(servers.port(0));
    theirs.stream = "THEIRS";
    REQUIRE(publish(*open(theirs)));

    const auto refused = publish(*open(reaching(servers.port(0))));

    REQUIRE_FALSE(refused);
    CHECK_MESSAGE(refused.error().code() == errc::unavailable, to_string(refused.error()));
    CHECK(refused.error().detail().contains("subjects overlap"));
}

TEST_CASE("too few servers for the replicas is unavailable: more may come") {
    const harness::nats_cluster servers({.servers = 3});
    auto options = reaching(servers.port(0));
    options.replicas = 5;

    const auto refused = publish(*open(options));

    REQUIRE_FALSE(refused);
    CHECK_MESSAGE(refused.error().code() == errc::unavailable, to_string(refused.error()));
    CHECK(refused.error().detail().contains("no suitable peers"));
}

awaitable<void> fill(bus& through, std::vector<errc>& failures) {
    const auto sent = co_await through.publish({.subject = "jobs.web1", .payload = "x", .id = {}});
    if (!sent) failures.push_back(sent.error().code());
}

awaitable<void> overfill(bus& through, std::vector<errc>& failures) {
    using namespace boost::asio::experimental::awaitable_operators;
    co_await (
        fill(through, failures) && fill(through, failures) && fill(through, failures)
        && fill(through, failures));
}

TEST_CASE("more publishes in flight than allowed are refused as unavailable") {
    const harness::nats_cluster servers;
    auto options = reaching(servers.port(0));
    options.in_flight_max = 2;
    const auto through = open(options);
    REQUIRE(publish(*through));
    std::vector<errc> failures;

    harness::real_event_loop().run(overfill(*through, failures));

    CHECK(failures == std::vector<errc>{errc::unavailable, errc::unavailable});
}

}  // namespace
}  // namespace muster
