#include "api/rest/gateway.h"

#include "ports/deadline.h"
#include "api/rest/state_json.h"

#include <utility>

namespace muster::gateway {
namespace {

namespace http = net::http;

}  // namespace

gateway::gateway(surroundings around, options how)
    : around_(std::move(around)), how_(std::move(how)), desk_(around_.time) {}

void api::open(office::surroundings given) {
    desk_.open(std::make_shared<office>(std::move(given), around_.time, how_.people));
}

http::handler api::calling(answer (gateway::*method)(http::request)) {
    return [this, method](http::request asked) {
        return (this->*method)(std::move(asked));
    };
}

result<http::router> api::public_routes_of_others() {
    http::router routes;
    CHECK_OK(routes.add("GET", "/healthz", {calling(&api::health_in_brief)}));
    CHECK_OK(routes.add("GET", "/readyz", {calling(&api::readiness_in_brief)}));
    return routes;
}

result<http::router> api::public_routes() {
    TRY(auto routes, public_routes_of_others());
    CHECK_OK(web_pages(how_.pages).add_routes(routes));
    return routes;
}

result<http::router> api::health_routes() {
    http::router routes;
    CHECK_OK(routes.add("GET", "/healthz", {calling(&api::health)}));
    CHECK_OK(routes.add("GET", "/readyz", {calling(&api::readiness_in_full)}));
    CHECK_OK(routes.add("GET", "/metrics", {calling(&api::metrics)}));
    return routes;
}

api::answer api::health(http::request /*asked*/) {
    if (around_.pulse) {
        const auto turned = co_await within(around_.time, how_.loop_patience, around_.pulse());
        if (!turned) co_return no_store(http::json(503, R"({"status":"an event loop is stuck"})"));
    }
    co_return no_store(http::json(200, R"({"status":"alive"})"));
}

api::answer api::health_in_brief(http::request /*asked*/) {
    co_return no_store(http::json(200, R"({"status":"alive"})"));
}

api::answer api::readiness_in_full(http::request /*asked*/) {
    const auto state = around_.state.read();
    co_return no_store(http::json(state.ready() ? 200 : 503, state_json(state, reasons::told)));
}

api::answer api::readiness_in_brief(http::request /*asked*/) {
    const auto state = around_.state.read();
    co_return no_store(http::json(state.ready() ? 200 : 503, state_json(state, reasons::withheld)));
}

api::answer api::metrics(http::request /*asked*/) {
    http::response answer{.status = 200, .body = around_.counted.text()};
    answer.fields.emplace_back("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
    co_return answer;
}

}  // namespace muster::gateway
