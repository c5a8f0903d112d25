#include "api/agent/agent_entry_api.h"

#include "adapters/net/address_limit_key.h"
#include "adapters/pki/base64.h"
#include "adapters/pki/fingerprint.h"
#include "api/agent/enrol_request.h"
#include "api/operations/api_context.h"
#include "ports/deadline.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace muster::api {
namespace {

namespace http = net::http;
using net::counted_as;

// Room for the facts and a name in JSON.
constexpr std::size_t enrol_body_bytes_max = fleet::facts_bytes_max + std::size_t{16} * 1024;
constexpr std::string_view proof_scheme = "Muster ";

http::response wait_for(http::response answer, monotonic::duration wait) {
    const auto seconds =
        std::max(std::chrono::ceil<std::chrono::seconds>(wait), std::chrono::seconds(1));
    answer.fields.emplace_back("retry-after", std::to_string(seconds.count()));
    return answer;
}

http::response one_digit(system_state state) {
    auto answer = http::text(200, std::string(1, digit_of(state)));
    answer.fields.emplace_back("cache-control", "no-store");
    return answer;
}

// Each server, and each of its starts, spreads waits in another way.
std::uint64_t moment(const muster::clock& clock) {
    return static_cast<std::uint64_t>(clock.now().time_since_epoch().count());
}

struct prover {
    fingerprint print;
    std::string public_key;
};

// Who the request's proof says is at the other end.
result<prover> prover_of(const http::request& request) {
    TRY(const auto name, request.agent());
    TRY(const auto print, fingerprint::parse(name.str()));
    const auto proof = request.field("authorization").value_or("").substr(proof_scheme.size());
    TRY(const auto bytes, pki::from_base64(proof));
    return prover{.print = print, .public_key = bytes.substr(0, pki::public_key::ed25519_size)};
}

}  // namespace

agent_entry_api::endpoint_limit::endpoint_limit(
    runtime::metrics& metrics, const std::string& question, const options::limits& allowed)
    : limiter(allowed),
      answered(metrics.make_counter(
          {"muster_system_requests_total",
           "What systems asked, by outcome.",
           {{"question", question}, {"outcome", "answered"}}})),
      limited(metrics.make_counter(
          {"muster_system_requests_total",
           "What systems asked, by outcome.",
           {{"question", question}, {"outcome", "limited"}}})),
      refused(metrics.make_counter(
          {"muster_system_requests_total",
           "What systems asked, by outcome.",
           {{"question", question}, {"outcome", "refused"}}})) {}

agent_entry_api::agent_entry_api(dependencies deps, options options)
    : deps_(deps),
      options_(std::move(options)),
      status_gate_(deps.metrics, "status", options_.status),
      enrol_gate_(deps.metrics, "enrol", options_.enrol),
      place_gate_(deps.metrics, "place", options_.place),
      pace_(options_.pace, prng(options_.seed ^ moment(deps.clock))) {
    for (const auto stage :
         {enrolment::pooled, enrolment::rejected, enrolment::accepted, enrolment::deleted}) {
        deps.metrics.watch_gauge(
            {"muster_systems", "Systems by stage.", {{"stage", std::string(to_string(stage))}}},
            [&known = deps.systems, stage] { return static_cast<double>(known.count(stage)); });
    }
}

result<void> agent_entry_api::add_routes(http::router& routes) {
    const auto calling = [this](answer (agent_entry_api::*method)(http::request)) {
        return [this, method](http::request request) {
            return (this->*method)(std::move(request));
        };
    };
    CHECK_OK(routes.add("GET", "/system/status", {calling(&agent_entry_api::status)}));
    CHECK_OK(routes.add("GET", "/system/orphan", {calling(&agent_entry_api::place)}));
    return routes.add(
        "POST",
        "/system/enroll",
        {.handle = calling(&agent_entry_api::enrol), .body_bytes_max = enrol_body_bytes_max});
}

std::optional<http::response> agent_entry_api::limit(
    endpoint_limit& at, const http::request& request) {
    const auto address = request.client_address();
    const bool many = net::stands_for_many(options_.proxies, address);
    const auto now = deps_.clock.now();
    std::optional<access::rate_limiter::refusal> refusal;
    {
        const std::lock_guard lock(at.guard);
        refusal = many ? at.limiter.take_for_all(now) : at.limiter.take(counted_as(address), now);
    }
    if (!refusal) return std::nullopt;
    at.limited.add();
    return wait_for(http::problem(429, "too many requests; come again later"), refusal->wait);
}

agent_entry_api::answer agent_entry_api::status(http::request request) {
    if (auto limited = limit(status_gate_, request)) co_return std::move(*limited);
    const auto text = request.query("fp");
    const auto print = fingerprint::parse(text ? std::string_view(*text) : std::string_view());
    if (!print) {
        status_gate_.refused.add();
        co_return http::problem(400, "`fp` must be a fingerprint: 32 pairs of hexadecimal digits");
    }
    const auto state = deps_.systems.status(*print);
    // Before everything is read, "unknown" may only mean "not read yet".
    if (state == system_state::fresh && !deps_.systems.complete()) {
        status_gate_.refused.add();
        co_return http::problem(error(errc::unavailable, "the server is still reading the fleet"));
    }
    status_gate_.answered.add();
    co_return one_digit(state);
}

agent_entry_api::answer agent_entry_api::enrol(http::request request) {
    if (auto limited = limit(enrol_gate_, request)) co_return std::move(*limited);
    const auto prover = prover_of(request);
    if (!prover) {
        enrol_gate_.refused.add();
        co_return fail(prover.error());
    }
    if (!deps_.systems.complete())
        co_return http::problem(error(errc::unavailable, "the server is still reading the fleet"));
    CO_TRY(const auto body, co_await request.body());
    auto application = read_enrol_request(body, deps_.clock.wall(), prover->print);
    if (!application) {
        enrol_gate_.refused.add();
        co_return fail(application.error());
    }
    application->said.public_key = prover->public_key;
    application->said.origin = request.client_address().to_string();
    application->from = own_address(options_.proxies, request.client_address());
    const auto done =
        co_await within(deps_.clock, engine_timeout, deps_.door.enrol(std::move(*application)));
    if (!done) co_return refused(done.error());
    if (const auto* const later = std::get_if<fleet::enrolment_service::come_again>(&*done)) {
        enrol_gate_.limited.add();
        co_return wait_for(
            http::problem(429, "too many are being accepted; come again later"), later->wait);
    }
    enrol_gate_.answered.add();
    co_return one_digit(std::get<fleet::enrolment_service::enrolled>(*done).state);
}

http::response agent_entry_api::place_of(const system_record& system) {
    const auto now = deps_.topology.read();
    const auto held = now->place_of(system.zone, slot::of(system.print));
    const bool ready =
        held.server != nullptr && held.node->state == membership::node_state::serving;
    std::optional<monotonic::duration> wait;
    {
        const std::lock_guard lock(pace_guard_);
        wait = ready ? pace_.take(deps_.clock.now()) : pace_.some_time();
    }
    if (wait) return wait_for({.status = 204}, *wait);
    auto answer = http::text(200, held.server->address);
    answer.fields.emplace_back("cache-control", "no-store");
    return answer;
}

agent_entry_api::answer agent_entry_api::place(http::request request) {
    if (auto limited = limit(place_gate_, request)) co_return std::move(*limited);
    const auto prover = prover_of(request);
    const auto named = fingerprint::parse(request.query("fp").value_or(""));
    if (!prover || !named || *named != prover->print) {
        place_gate_.refused.add();
        if (!prover) co_return fail(prover.error());
        co_return http::problem(
            named ? 403 : 400,
            "`fp` must be the fingerprint of the key that the proof is made with");
    }
    const auto system = deps_.systems.find(prover->print);
    if (!system && !deps_.systems.complete())
        co_return http::problem(error(errc::unavailable, "the server is still reading the fleet"));
    if (!system || system->stage != enrolment::accepted) {
        place_gate_.refused.add();
        const bool gone = system && system->stage == enrolment::deleted;
        co_return gone ? http::problem(410, "this system is deleted for ever")
                       : http::problem(403, "this system is not accepted yet");
    }
    place_gate_.answered.add();
    co_return place_of(*system);
}

}  // namespace muster::api
