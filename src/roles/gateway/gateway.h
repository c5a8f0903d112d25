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

// Answers for the cluster: health for machines, a page for people, the API for both.
//
// It answers from the first moment on. What needs an engine is refused with 503 and Retry-After
// until open() and whenever that engine is away. Handlers run on any event loop.
class gateway {
public:
    struct dependencies {
        muster::clock& clock;
        cluster::readiness& state;
        runtime::metrics& metrics;
        runtime::logger& log;
        // Answers when every event loop of the server has turned once; none: there are no others.
        std::function<async<void>()> pulse = nullptr;
    };
    struct options {
        std::string server;  // this server's name
        people::people_services::options people = {};
        web_assets pages = {};
        monotonic::duration loop_timeout = std::chrono::seconds(10);  // then a loop is stuck
    };

    gateway(dependencies deps, options options);

    // From now on the API is served. Called once, when the cluster is known and its engines are
    // open; these must outlive the gateway.
    void open(api::api_context::dependencies deps);

    const api::request_authenticator& authenticator() const { return authenticator_; }

    // For the TLS port of a server with this role, and of one without it; health and metrics for
    // the plain port.
    result<net::http::router> public_routes();
    result<net::http::router> public_routes_of_others();
    result<net::http::router> health_routes();

private:
    using answer = async<net::http::response>;

    // Whether it is alive, not whether it can do its work; with a look at its loops for those who
    // may end it if not.
    answer health(net::http::request request);
    answer health_in_brief(net::http::request request);
    answer readiness_in_full(net::http::request request);
    answer readiness_in_brief(net::http::request request);
    answer metrics(net::http::request request);

    net::http::handler calling(answer (gateway::*method)(net::http::request));

    dependencies deps_;
    options options_;
    api::request_authenticator authenticator_;
};

}  // namespace muster::gateway
