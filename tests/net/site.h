#pragma once

// A server on loopback with a certificate of its own CA, and ways to talk to it byte by byte.
#include "adapters/net/connect.h"
#include "adapters/net/http/client.h"
#include "adapters/net/http/server.h"
#include "adapters/pki/authority.h"
#include "ports/deadline.h"
#include "runtime/clock.h"
#include "tests/harness/real_world.h"

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <utility>

namespace muster::net::http::test {

namespace asio = boost::asio;
using namespace std::chrono_literals;

inline runtime::system_clock& the_clock() {
    static runtime::system_clock time;
    return time;
}

inline const pki::authority& cluster_ca() {
    static const auto ca = pki::authority::make("test cluster", the_clock().wall()).value();
    return ca;
}

inline pki::identity server_identity() {
    return cluster_ca()
        .issue({.name = "localhost", .hosts = {"127.0.0.1"}, .now = the_clock().wall()})
        .value();
}

inline std::shared_ptr<const tls_server> server_tls(
    pki::identity own, client_certificates clients = client_certificates::welcome) {
    return tls_server::make({.own = std::move(own),
                             .protocols = {"muster/1", "http/1.1"},
                             .clients = clients,
                             .client_authorities = {cluster_ca().certificate()}})
        .value();
}

inline std::shared_ptr<const tls_client> client_tls(
    std::vector<std::string> protocols = {"http/1.1"},
    std::optional<pki::identity> own = std::nullopt) {
    return tls_client::make({.trusted = trusted_authorities{{cluster_ca().certificate()}},
                             .protocols = std::move(protocols),
                             .own = std::move(own)})
        .value();
}

async<response> hello(request from);
async<response> echo(request from);
std::shared_ptr<router> usual_routes();

// Short limits, so that tests of deadlines are quick.
limits quick_limits();

struct site {
    struct options {
        limits allowed = quick_limits();
        std::shared_ptr<const router> routes = usual_routes();
        channel_handler channels = nullptr;
        std::size_t loops = 1;
        client_certificates clients = client_certificates::welcome;
        std::shared_ptr<const tls_server> tls = nullptr;
        std::function<bool(const asio::ip::address&)> stands_for_many = nullptr;
    };

    explicit site(options wanted);
    site() : site(options()) {}

    std::string url(std::string_view path) const {
        return "https://127.0.0.1:" + std::to_string(running->port(0)) + std::string(path);
    }
    std::string plain_url(std::string_view path) const {
        return "http://127.0.0.1:" + std::to_string(running->port(1)) + std::string(path);
    }
    endpoint where() const { return {.host = "127.0.0.1", .port = running->port(0)}; }
    endpoint plain() const { return {.host = "127.0.0.1", .port = running->port(1)}; }

    std::shared_ptr<rotating_tls_server> tls;
    std::unique_ptr<server> running;
};

template <class T>
asio::awaitable<void> keep_outcome(asio::awaitable<T> work, std::optional<T>* outcome) {
    outcome->emplace(co_await std::move(work));
}

// Runs a coroutine to its end on this thread.
template <class T>
T run(asio::awaitable<T> work) {
    std::optional<T> outcome;
    harness::real_world world;
    world.run(keep_outcome(std::move(work), &outcome));
    return *std::move(outcome);
}

// Everything the server sends until it hangs up.
async<std::string> read_all(net::stream* from);
// Sends `bytes` over one connection and collects the answer until the server hangs up.
async<std::string> converse(destination to, std::string bytes);
// The same over plain HTTP.
std::string talk(const site& to, std::string bytes);
std::size_t occurrences(std::string_view text, std::string_view of);

}  // namespace muster::net::http::test
