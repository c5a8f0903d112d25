#include "roles/gateway/gateway.h"

#include "core/access/account_rules.h"
#include "ports/deadline.h"
#include "roles/gateway/landing_page.h"
#include "roles/gateway/state_json.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <chrono>
#include <utility>
#include <variant>

namespace muster::gateway {
namespace {

namespace http = net::http;
namespace json = boost::json;

constexpr std::size_t login_body_bytes_max = 8 * std::size_t{1024};
runtime::metric_name logins(const char* outcome) {
    return {"muster_logins_total", "Login attempts by outcome.", {{"outcome", outcome}}};
}

http::response try_later(std::chrono::seconds wait) {
    auto answer = http::problem(429, "too many failed logins; wait before trying again");
    answer.fields.emplace_back("Retry-After", std::to_string(wait.count()));
    return answer;
}

result<people::credentials> read_credentials(const std::string& body, std::string origin) {
    json::error_code failure;
    const auto parsed = json::parse(body, failure);
    const auto* object = failure ? nullptr : parsed.if_object();
    if (object == nullptr) return fail(errc::invalid, "the body is not a JSON object");
    const auto* user = object->if_contains("user");
    const auto* password = object->if_contains("password");
    if (user == nullptr || !user->is_string() || user->as_string().empty())
        return fail(errc::invalid, "`user` is missing");
    if (user->as_string().size() > access::user_name_bytes_max)
        return fail(
            errc::invalid,
            fmt::format("`user` is longer than {} bytes", access::user_name_bytes_max));
    if (password == nullptr || !password->is_string() || password->as_string().empty())
        return fail(errc::invalid, "`password` is missing");
    return people::credentials{
        .user = json::value_to<std::string>(*user),
        .password = json::value_to<std::string>(*password),
        .origin = std::move(origin)};
}

}  // namespace

gateway::gateway(surroundings around, options how)
    : around_(around),
      how_(std::move(how)),
      desk_(around.time),
      logins_done_(around.counted.make_counter(logins("done"))),
      logins_refused_(around.counted.make_counter(logins("refused"))),
      logins_limited_(around.counted.make_counter(logins("limited"))) {}

void gateway::open(office::surroundings given) {
    desk_.open(std::make_shared<office>(std::move(given), around_.time, how_.people));
}

http::handler gateway::calling(answer (gateway::*method)(http::request)) {
    return [this, method](http::request asked) {
        return (this->*method)(std::move(asked));
    };
}

result<http::router> gateway::public_routes_of_others() {
    http::router routes;
    CHECK_OK(routes.add("GET", "/healthz", {calling(&gateway::health)}));
    CHECK_OK(routes.add("GET", "/readyz", {calling(&gateway::readiness_in_brief)}));
    return routes;
}

result<http::router> gateway::public_routes() {
    TRY(auto routes, public_routes_of_others());
    CHECK_OK(routes.add("GET", "/", {calling(&gateway::landing)}));
    CHECK_OK(routes.add("GET", "/api/v1/cluster", {calling(&gateway::cluster)}));
    CHECK_OK(routes.add(
        "POST",
        "/api/v1/login",
        {.handle = calling(&gateway::login), .body_bytes_max = login_body_bytes_max}));
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
    co_return no_store(http::json(200, R"({"status":"alive"})"));
}

gateway::answer gateway::readiness_in_full(http::request /*asked*/) {
    const auto state = around_.state.read();
    co_return no_store(http::json(state.ready() ? 200 : 503, state_json(state, reasons::told)));
}

gateway::answer gateway::readiness_in_brief(http::request /*asked*/) {
    const auto state = around_.state.read();
    co_return no_store(http::json(state.ready() ? 200 : 503, state_json(state, reasons::withheld)));
}

gateway::answer gateway::metrics(http::request /*asked*/) {
    http::response answer{.status = 200, .body = around_.counted.text()};
    answer.fields.emplace_back("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
    co_return answer;
}

gateway::answer gateway::landing(http::request /*asked*/) {
    http::response answer{.status = 200, .body = landing_page(how_.server, around_.state.read())};
    answer.fields.emplace_back("Content-Type", "text/html; charset=utf-8");
    answer.fields.emplace_back("Content-Security-Policy", landing_page_policy);
    answer.fields.emplace_back("X-Content-Type-Options", "nosniff");
    answer.fields.emplace_back("Referrer-Policy", "no-referrer");
    co_return no_store(std::move(answer));
}

gateway::answer gateway::login(http::request asked) {
    CO_TRY(const auto desk, desk_.enter());
    CO_TRY(const auto body, co_await asked.body());
    CO_TRY(auto who, read_credentials(body, asked.client_address().to_string()));
    const auto answered =
        co_await within(around_.time, engine_patience, desk->people.entrance.login(std::move(who)));
    if (!answered && answered.error().code() == errc::denied) logins_refused_.add();
    if (!answered) co_return refused(answered.error());
    if (const auto* limited = std::get_if<people::must_wait>(&*answered)) {
        logins_limited_.add();
        co_return try_later(std::chrono::ceil<std::chrono::seconds>(limited->wait));
    }
    logins_done_.add();
    const auto& opened = std::get<people::gate::opened_session>(*answered);
    const json::object told{
        {"token", opened.secret},
        {"user", opened.user},
        {"expires", cluster::iso_time(opened.expires)},
        {"must_change", opened.must_change},
        {"csrf", opened.csrf}};
    co_return no_store(http::json(200, json::serialize(told)));
}

gateway::answer gateway::cluster(http::request asked) {
    const auto visitor = co_await desk_.admit(asked);
    if (!visitor) co_return refused(visitor.error());
    const auto state = around_.state.read();
    json::object told{
        {"id", visitor->desk->cluster.id},
        {"authority", visitor->desk->cluster.authority},
        {"made", cluster::iso_time(visitor->desk->cluster.made)},
        {"server", how_.server},
        {"version", MUSTER_VERSION},
        {"state", json::parse(state_json(state, reasons::told))}};
    co_return no_store(http::json(200, json::serialize(told)));
}

}  // namespace muster::gateway
