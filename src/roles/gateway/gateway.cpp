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

http::handler gateway::calling(answer (gateway::*method)(http::request)) {
    return [this, method](http::request request) {
        return (this->*method)(std::move(request));
    };
}

result<http::router> gateway::public_routes_of_others() {
    http::router routes;
    CHECK_OK(routes.add("GET", "/healthz", {calling(&gateway::health_in_brief)}));
    CHECK_OK(routes.add("GET", "/readyz", {calling(&gateway::readiness_in_brief)}));
    return routes;
}

result<http::router> gateway::public_routes() {
    TRY(auto routes, public_routes_of_others());
    CHECK_OK(web_pages(options_.pages).add_routes(routes));
    return routes;
}

result<http::router> gateway::health_routes() {
    http::router routes;
    CHECK_OK(routes.add("GET", "/healthz", {calling(&gateway::health)}));
    CHECK_OK(routes.add("GET", "/readyz", {calling(&gateway::readiness_in_full)}));
    CHECK_OK(routes.add("GET", "/metrics", {calling(&gateway::metrics)}));
    return routes;
}

gateway::answer gateway::health(http::request /*asked*/) {
    if (deps_.pulse) {
        const auto turned = co_await within(deps_.clock, options_.loop_timeout, deps_.pulse());
        if (!turned)
            co_return api::no_store(http::json(503, R"({"status":"an event loop is stuck"})"));
    }
    co_return api::no_store(http::json(200, R"({"status":"alive"})"));
}

gateway::answer gateway::health_in_brief(http::request /*asked*/) {
    co_return api::no_store(http::json(200, R"({"status":"alive"})"));
}

gateway::answer gateway::readiness_in_full(http::request /*asked*/) {
    const auto state = deps_.state.read();
    co_return api::no_store(
        http::json(state.ready() ? 200 : 503, state_json(state, api::reasons::told)));
}

gateway::answer gateway::readiness_in_brief(http::request /*asked*/) {
    const auto state = deps_.state.read();
    co_return api::no_store(
        http::json(state.ready() ? 200 : 503, state_json(state, api::reasons::withheld)));
}

gateway::answer gateway::metrics(http::request /*asked*/) {
    http::response answer{.status = 200, .body = deps_.metrics.text()};
    answer.fields.emplace_back("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
    co_return answer;
}

}  // namespace muster::gateway
