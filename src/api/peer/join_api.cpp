#include "api/peer/join_api.h"

#include "adapters/os/random.h"
#include "adapters/pki/fingerprint.h"
#include "api/operations/json_body.h"
#include "base/hex.h"
#include "base/iso_time.h"
#include "ports/deadline.h"
#include "services/cluster/join_service.h"

#include <boost/json.hpp>

#include <chrono>
#include <utility>

namespace muster::api {
namespace {

namespace http = net::http;
namespace json = boost::json;

constexpr std::size_t body_bytes_max = 4096;
constexpr std::size_t secret_bytes = 16;
constexpr std::chrono::seconds lifetime_default = std::chrono::hours(1);
constexpr const char* all_origins = "everybody";

std::string digest_of(const std::string& secret) {
    return pki::sha256_fingerprint(secret).str();
}

struct join_attempt {
    std::string secret;
    cluster::join_service::join_request server;
};

result<join_attempt> read_join_attempt(const std::string& text) {
    TRY(auto body, json_body::parse(text));
    join_attempt attempt;
    TRY(attempt.secret, body.text("secret"));
    TRY(attempt.server.name, body.text("name"));
    TRY(attempt.server.instance, body.text("instance"));
    TRY(attempt.server.address, body.text("address"));
    TRY(attempt.server.node, body.flag("node"));
    CHECK_OK(body.finish());
    return attempt;
}

}  // namespace

result<void> join_api::add_routes(http::router& routes) {
    return routes.add(
        "POST",
        "/cluster/join",
        {.handle = [this](http::request request) { return join(std::move(request)); },
         .body_bytes_max = body_bytes_max});
}

result<void> join_api::declare(registry& operations) {
    using namespace api;
    return operations.add(
        {.name = "nodes.tokens",
         .summary = "Create a join token for a server",
         .method = verb::post,
         .path = "/api/v1/nodes/tokens",
         .takes =
             {optional_in_body("zone", name().with_about("zone of the node (default \"default\")")),
              optional_in_body(
                  "pool",
                  flag().with_about(
                      "put the node into the pool for later acceptance; excludes `zone`")),
              optional_in_body("ttl", integer(1).with_about("lifetime in seconds (default 3600)"))},
         .gives = record_of(
             {required("token", text()),
              required("join", text().with_about("value for `muster serve --join`")),
              required("into", text()),
              required("expires", api::time())}),
         .status = 201,
         .needed = access::right::topology_change,
         .gives_secret = true},
        handler(this, &join_api::create_token));
}

async<reply> join_api::create_token(call call) {
    const auto zone = call.optional_text("zone");
    const auto seconds = call.optional_integer("ttl");
    const bool pool = call.flag("pool");
    if (pool && zone) co_return fail(errc::invalid, "`zone` and `pool` are mutually exclusive");
    CO_TRY(const auto authority, deps_.credentials.authority());
    const auto lifetime = seconds ? std::chrono::seconds(*seconds) : lifetime_default;
    const cluster::join_token join_token{
        .secret = to_hex(os::random_bytes(secret_bytes)), .authority = authority.fingerprint};
    cluster::join_grant grant{
        .zone = pool ? "" : zone.value_or(std::string(cluster::default_zone)),
        .created_by = call.caller().user,
        .expires = {}};
    cluster::join_service join_service(call.context().engines.metastore, deps_.clock);
    const std::string destination = pool ? "the pool" : grant.zone;
    call.set_subject(destination);
    CO_CHECK_OK(co_await within(
        deps_.clock,
        engine_timeout,
        join_service.grant(digest_of(join_token.secret), std::move(grant), lifetime)));
    co_return reply{json::object{
        {"token", join_token.str()},
        {"join", join_token.str() + "@" + deps_.address},
        {"into", destination},
        {"expires", iso_time(deps_.clock.wall() + lifetime)}}};
}

std::optional<monotonic::duration> join_api::throttle(const std::string& origin) {
    const std::lock_guard lock(mutex_);
    const instant now = deps_.clock.now();
    if (const auto wait = attempts_.wait_for(origin, now)) return wait;
    return attempts_.wait_for(all_origins, now);
}

void join_api::record_attempt(const std::string& origin, const result<void>& outcome) {
    const std::lock_guard lock(mutex_);
    if (outcome) return attempts_.on_success(origin);
    if (outcome.error().code() != errc::denied) return;
    attempts_.failed(origin, deps_.clock.now());
    attempts_.failed(all_origins, deps_.clock.now());
}

join_api::response_task join_api::join(http::request request) {
    CO_TRY(const auto context, deps_.authenticator.context());
    const auto origin = request.client_address().to_string();
    if (const auto wait = throttle(origin)) {
        auto response = http::problem(429, "too many wrong join tokens; retry later");
        const auto seconds = std::chrono::ceil<std::chrono::seconds>(*wait);
        response.fields.emplace_back("Retry-After", std::to_string(seconds.count()));
        co_return response;
    }
    CO_TRY(const auto text, co_await request.body());
    CO_TRY(const auto join_attempt, read_join_attempt(text));
    CO_TRY(const auto authority, deps_.credentials.authority());
    cluster::join_service join_service(context->engines.metastore, deps_.clock);
    const auto outcome = co_await within(
        deps_.clock,
        engine_timeout,
        join_service.admit(digest_of(join_attempt.secret), join_attempt.server));
    record_attempt(origin, outcome);
    // Hand out the CA key only after the audit entry is written.
    const auto recorded = co_await within(
        deps_.clock,
        engine_timeout,
        context->audit.record(
            {.who = join_attempt.server.name,
             .what = "node.join",
             .origin = origin,
             .outcome = outcome ? "done" : "refused",
             .detail = outcome ? join_attempt.server.address : outcome.error().detail()}));
    if (!outcome && outcome.error().code() == errc::denied)
        co_return http::problem(403, outcome.error().detail());
    if (!outcome) co_return authentication_problem(outcome.error());
    if (!recorded) co_return authentication_problem(recorded.error());
    const json::object response{
        {"cluster", context->cluster.id}, {"ca", authority.certificate}, {"ca_key", authority.key}};
    co_return no_store(http::json(200, json::serialize(response)));
}

}  // namespace muster::api
