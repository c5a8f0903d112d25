#include "roles/gateway/gateway.h"

#include "api/rest/state_json.h"
#include "ports/deadline.h"

#include <utility>

namespace muster::gateway {
namespace {

namespace http = net::http;

}  // namespace

gateway::gateway(dependencies deps, options options)
    : deps_(std::move(deps)), options_(std::move(options)), authenticator_(deps_.clock) {}

void gateway::open(api::api_context::dependencies deps) {
    authenticator_.open(
        std::make_shared<api::api_context>(std::move(deps), deps_.clock, options_.people));
}

http::handler gateway::bind(response_task (gateway::*method)(http::request)) {
    return [this, method](http::request request) {
        return (this->*method)(std::move(request));
    };
}

result<http::router> gateway::public_routes_without_ui() {
    http::router routes;
    CHECK_OK(routes.add("GET", "/healthz", {bind(&gateway::public_health)}));
    CHECK_OK(routes.add("GET", "/readyz", {bind(&gateway::public_readiness)}));
    return routes;
}

result<http::router> gateway::public_routes() {
    TRY(auto routes, public_routes_without_ui());
    CHECK_OK(web_pages(options_.pages).add_routes(routes));
    return routes;
}

result<http::router> gateway::health_routes() {
    http::router routes;
    CHECK_OK(routes.add("GET", "/healthz", {bind(&gateway::health)}));
    CHECK_OK(routes.add("GET", "/readyz", {bind(&gateway::readiness)}));
    CHECK_OK(routes.add("GET", "/metrics", {bind(&gateway::metrics)}));
    return routes;
}

gateway::response_task gateway::health(http::request /*request*/) {
    if (deps_.check_event_loops) {
        const auto checked =
            co_await within(deps_.clock, options_.loop_timeout, deps_.check_event_loops());
        if (!checked)
            co_return api::no_store(http::json(503, R"({"status":"an event loop is stuck"})"));
    }
    co_return api::no_store(http::json(200, R"({"status":"alive"})"));
}

gateway::response_task gateway::public_health(http::request /*request*/) {
    co_return api::no_store(http::json(200, R"({"status":"alive"})"));
}

gateway::response_task gateway::readiness(http::request /*request*/) {
    const auto state = deps_.state.read();
    co_return api::no_store(
        http::json(state.is_ready() ? 200 : 503, state_json(state, api::engine_details::shown)));
}

gateway::response_task gateway::public_readiness(http::request /*request*/) {
    const auto state = deps_.state.read();
    co_return api::no_store(
        http::json(state.is_ready() ? 200 : 503, state_json(state, api::engine_details::withheld)));
}

gateway::response_task gateway::metrics(http::request /*request*/) {
    http::response response{.status = 200, .body = deps_.metrics.text()};
    response.fields.emplace_back("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
    co_return response;
}

}  // namespace muster::gateway
