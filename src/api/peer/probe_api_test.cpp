// How servers ask each other about a third, over mutual TLS on loopback.

#include "api/peer/probe_api.h"

#include "adapters/net/http/client.h"
#include "adapters/net/http/server.h"
#include "tests/fixtures/api/server_tls_source.h"
#include "tests/fixtures/net/http_fixture.h"
#include "tests/harness/run_sync.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>

namespace muster::api {
namespace {

namespace http = net::http;
using harness::run_sync;
using namespace std::chrono_literals;

async<http::response> not_ready(http::request) {
    co_return http::problem(503, "not ready");
}

async<int> status_of(http::client::options options, http::client_request outgoing) {
    http::client through(std::move(options));
    CO_TRY(const auto response, co_await through.send(std::move(outgoing)));
    co_return static_cast<int>(response.status);
}

// A server of the cluster that answers probes.
struct peer {
    runtime::system_clock clock;
    server_tls_source tls;
    probe_api probes{clock, tls, {.timeout = 1s}};
    std::unique_ptr<http::server> listening;

    peer() {
        auto routes = std::make_shared<http::router>();
        REQUIRE(probes.add_routes(*routes).has_value());
        REQUIRE(routes->add("GET", "/healthz", {.handle = not_ready}).has_value());
        std::vector<http::listener> listeners;
        listeners.push_back(
            {.address = {.host = "127.0.0.1", .port = 0},
             .tls = std::make_shared<net::rotating_tls_server>(
                 http::test::server_tls(http::test::server_identity())),
             .service = {.routes = std::move(routes)}});
        listening =
            http::server::start({.listeners = std::move(listeners), .clock = &clock}).value();
    }

    std::string address() const { return "127.0.0.1:" + std::to_string(listening->port(0)); }
    result<bool> ask(const peer& peer, const std::string& about) const {
        return run_sync(
            probes.request_probe({.name = "muster-2", .address = peer.address()}, about));
    }
    int post(std::shared_ptr<const net::tls_client> as, const std::string& body) {
        http::client_request outgoing{
            .method = "POST", .url = "https://" + address() + "/cluster/probe", .body = body};
        return run_sync(status_of({.clock = &clock, .tls = std::move(as)}, std::move(outgoing)))
            .value();
    }
};

TEST_CASE("a peer tells whether it reaches a server, and one that is not ready is there") {
    const peer driver;
    const peer second;
    auto third = std::make_unique<peer>();
    const auto where = third->address();

    CHECK(driver.ask(second, where).value());
    third.reset();
    CHECK_FALSE(driver.ask(second, where).value());
}

TEST_CASE("a peer that is not there says nothing about anybody") {
    const peer driver;
    auto gone = std::make_unique<peer>();
    const cluster::server_record server{.name = "muster-2", .address = gone->address()};
    gone.reset();

    CHECK_FALSE(run_sync(driver.probes.request_probe(server, driver.address())).has_value());
}

TEST_CASE("only servers of the cluster may ask, and only about an address") {
    peer peer;
    const std::string question = R"({"address":"127.0.0.1:1"})";
    const auto own = http::test::client_tls({"http/1.1"}, http::test::server_identity());

    CHECK(peer.post(own, question) == 200);
    CHECK(peer.post(http::test::client_tls(), question) == 403);
    CHECK(peer.post(own, R"({"address":"no address"})") == 400);
    CHECK(peer.post(own, "{}") == 400);
}

}  // namespace
}  // namespace muster::api
