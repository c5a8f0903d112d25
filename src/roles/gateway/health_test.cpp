#include "adapters/net/http/client.h"
#include "adapters/net/http/server.h"
#include "roles/gateway/gateway.h"
#include "runtime/clock.h"
#include "tests/harness/run_sync.h"

#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <string>

namespace muster::gateway {
namespace {

using harness::run_sync;

// The health port of a server whose loops turn, or do not.
struct health_port {
    runtime::system_clock clock;
    runtime::logger log{{.level = runtime::log_level::error}};
    runtime::metrics counted;
    cluster::readiness state;
    std::atomic<bool> turning = true;
    gateway health{
        {.clock = clock,
         .state = state,
         .metrics = counted,
         .log = log,
         .check_event_loops =
             [this] {
                 return turn();
             }},
        {.loop_timeout = std::chrono::milliseconds(100)}};
    std::unique_ptr<net::http::server> running = start();

    async<void> turn() {
        while (!turning) {
            CO_CHECK_OK(co_await clock.sleep_for(std::chrono::milliseconds(20)));
        }
        co_return result<void>();
    }

    std::unique_ptr<net::http::server> start() {
        auto routes = std::make_shared<net::http::router>(health.health_routes().value());
        net::http::listener plain{
            .address = {.host = "127.0.0.1", .port = 0},
            .tls = nullptr,
            .service = {.routes = std::move(routes)}};
        return net::http::server::start({.listeners = {std::move(plain)}, .clock = &clock}).value();
    }

    async<net::http::client_response> get(std::string path) {
        net::http::client from({.clock = &clock});
        const auto port = std::to_string(running->port(0));
        co_return co_await from.send({.url = "http://127.0.0.1:" + port + path});
    }
};

TEST_CASE("a server is alive as long as its event loops turn, ready or not") {
    health_port port;
    CHECK(run_sync(port.get("/healthz"))->status == 200);
    CHECK(run_sync(port.get("/readyz"))->status == 503);

    port.turning = false;

    CHECK(run_sync(port.get("/healthz"))->status == 503);
    port.turning = true;
    CHECK(run_sync(port.get("/healthz"))->status == 200);
}

}  // namespace
}  // namespace muster::gateway
