#pragma once

#include "adapters/net/http/request.h"
#include "adapters/net/http/response.h"
#include "adapters/net/http/router.h"
#include "api/operations/api_context.h"
#include "roles/gateway/web_pages.h"
#include "runtime/metrics.h"
#include "services/cluster/engines.h"
#include "services/cluster/record.h"

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace muster::gateway {

// Serves health checks, metrics and the UI files, and owns the authenticator of the API.
//
// Serves from process start. Requests that need an engine get 503 and Retry-After until open(), and
// whenever the engine is down. Handlers run on any event loop.
class gateway {
public:
    struct dependencies {
        muster::clock& clock;
        cluster::readiness& state;
        runtime::metrics& metrics;
        runtime::logger& log;
        // Completes when every event loop of the server has run once; null: no other loops.
        std::function<async<void>()> check_event_loops = nullptr;
    };
    struct options {
        std::string server;  // this server's name
        people::people_services::options people = {};
        web_assets pages = {};
        monotonic::duration loop_timeout =
            std::chrono::seconds(10);  // a slower loop counts as stuck
    };

    gateway(dependencies deps, options options);

    // Opens the API. Call once, when the cluster is known and its engines are open. The engines
    // must outlive the gateway.
    void open(api::api_context::dependencies deps);

    const api::request_authenticator& authenticator() const { return authenticator_; }

    // TLS port of servers with and without the gateway role; then the plain port with health and
    // metrics.
    result<net::http::router> public_routes();
    result<net::http::router> public_routes_without_ui();
    result<net::http::router> health_routes();

private:
    using response_task = async<net::http::response>;

    // Liveness, not readiness. The private endpoint also checks the event loops, because its
    // callers may restart the server.
    response_task health(net::http::request request);
    response_task public_health(net::http::request request);
    response_task readiness(net::http::request request);
    response_task public_readiness(net::http::request request);
    response_task metrics(net::http::request request);

    net::http::handler bind(response_task (gateway::*method)(net::http::request));

    dependencies deps_;
    options options_;
    api::request_authenticator authenticator_;
};

}  // namespace muster::gateway
