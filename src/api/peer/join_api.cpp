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
constexpr const char* everybody = "everybody";

std::string digest_of(const std::string& secret) {
    return pki::sha256_fingerprint(secret).str();
}

struct presented {
    std::string secret;
    cluster::join_service::join_request who;
};

result<presented> read_presented(const std::string& text) {
    TRY(auto body, json_body::parse(text));
    presented read;
    TRY(read.secret, body.text("secret"));
    TRY(read.who.name, body.text("name"));
    TRY(read.who.instance, body.text("instance"));
    TRY(read.who.address, body.text("address"));
    TRY(read.who.node, body.flag("node"));
    CHECK_OK(body.finish());
    return read;
}

}  // namespace

result<void> join_api::add_routes(http::router& routes) {
    return routes.add(
        "POST",
        "/cluster/join",
        {.handle = [this](http::request request) { return join(std::move(request)); },
         .body_bytes_max = body_bytes_max});
}

result<void> join_api::declare(registry& to) {
    using namespace api;
    return to.add(
        {.name = "nodes.tokens",
         .summary = "Makes a token with which a server joins",
         .method = verb::post,
         .path = "/api/v1/nodes/tokens",
         .takes =
             {optional_in_body("zone", name().with_about("which its node is taken into")),
              optional_in_body("pool", flag().with_about("instead: an admin decides later")),
              optional_in_body("ttl", integer(1).with_about("seconds; an hour if not given"))},
         .gives = record_of(
             {required("token", text()),
              required("join", text().with_about("for `muster serve --join`")),
              required("into", text()),
              required("expires", api::time())}),
         .status = 201,
         .needed = access::right::topology_change,
         .gives_secret = true},
        done_by(this, &join_api::make_token));
}

async<reply> join_api::make_token(call call) {
    const auto zone = call.optional_text("zone");
    const auto seconds = call.optional_integer("ttl");
    const bool pool = call.flag("pool");
    if (pool && zone) co_return fail(errc::invalid, "`zone` and `pool` exclude each other");
    CO_TRY(const auto authority, deps_.credentials.authority());
    const auto lifetime = seconds ? std::chrono::seconds(*seconds) : lifetime_default;
    const cluster::join_token join_token{
        .secret = to_hex(os::random_bytes(secret_bytes)), .authority = authority.fingerprint};
    cluster::join_grant grant{
        .zone = pool ? "" : zone.value_or(std::string(cluster::default_zone)),
        .by = call.who().user,
        .expires = {}};
    cluster::join_service door(call.context().engines.metastore, deps_.clock);
    const std::string into = pool ? "the pool" : grant.zone;
    call.set_subject(into);
    CO_CHECK_OK(co_await within(
        deps_.clock,
        engine_timeout,
        door.grant(digest_of(join_token.secret), std::move(grant), lifetime)));
    co_return reply{json::object{
        {"token", join_token.str()},
        {"join", join_token.str() + "@" + deps_.address},
        {"into", into},
        {"expires", iso_time(deps_.clock.wall() + lifetime)}}};
}

std::optional<monotonic::duration> join_api::login_throttled(const std::string& origin) {
    const std::lock_guard lock(guard_);
    const instant now = deps_.clock.now();
    if (const auto wait = attempts_.wait_for(origin, now)) return wait;
    return attempts_.wait_for(everybody, now);
}

void join_api::note(const std::string& origin, const result<void>& outcome) {
    const std::lock_guard lock(guard_);
    if (outcome) return attempts_.succeeded(origin);
    if (outcome.error().code() != errc::denied) return;
    attempts_.failed(origin, deps_.clock.now());
    attempts_.failed(everybody, deps_.clock.now());
}

join_api::answer join_api::join(http::request request) {
    CO_TRY(const auto desk, deps_.authenticator.enter());
    const auto origin = request.client_address().to_string();
    if (const auto wait = login_throttled(origin)) {
        auto answer = http::problem(429, "too many wrong join tokens; wait before trying again");
        const auto seconds = std::chrono::ceil<std::chrono::seconds>(*wait);
        answer.fields.emplace_back("Retry-After", std::to_string(seconds.count()));
        co_return answer;
    }
    CO_TRY(const auto text, co_await request.body());
    CO_TRY(const auto presented, read_presented(text));
    CO_TRY(const auto authority, deps_.credentials.authority());
    cluster::join_service door(desk->engines.metastore, deps_.clock);
    const auto admitted = co_await within(
        deps_.clock, engine_timeout, door.admit(digest_of(presented.secret), presented.who));
    note(origin, admitted);
    // The CA's key leaves only when it is on record who got it.
    const auto recorded = co_await within(
        deps_.clock,
        engine_timeout,
        desk->audit.record(
            {.who = presented.who.name,
             .what = "node.join",
             .origin = origin,
             .outcome = admitted ? "done" : "refused",
             .detail = admitted ? presented.who.address : admitted.error().detail()}));
    if (!admitted && admitted.error().code() == errc::denied)
        co_return http::problem(403, admitted.error().detail());
    if (!admitted) co_return refused(admitted.error());
    if (!recorded) co_return refused(recorded.error());
    const json::object response{
        {"cluster", desk->cluster.id}, {"ca", authority.certificate}, {"ca_key", authority.key}};
    co_return no_store(http::json(200, json::serialize(response)));
}

}  // namespace muster::api
