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
using net::limit_key;

// The facts plus other members in JSON.
constexpr std::size_t enrol_body_bytes_max = fleet::facts_bytes_max + std::size_t{16} * 1024;
constexpr std::string_view proof_scheme = "Muster ";

http::response with_retry_after(http::response response, monotonic::duration wait) {
    const auto seconds =
        std::max(std::chrono::ceil<std::chrono::seconds>(wait), std::chrono::seconds(1));
    response.fields.emplace_back("retry-after", std::to_string(seconds.count()));
    return response;
}

http::response to_digit_response(system_state state) {
    auto response = http::text(200, std::string(1, digit_of(state)));
    response.fields.emplace_back("cache-control", "no-store");
    return response;
}

// Seeds the pacer differently for each server start.
std::uint64_t start_time(const muster::clock& clock) {
    return static_cast<std::uint64_t>(clock.now().time_since_epoch().count());
}

struct prover {
    fingerprint print;
    std::string public_key;
};

// The key that the request proves possession of.
result<prover> read_prover(const http::request& request) {
    TRY(const auto name, request.agent());
    TRY(const auto print, fingerprint::parse(name.str()));
    const auto proof = request.field("authorization").value_or("").substr(proof_scheme.size());
    TRY(const auto bytes, pki::from_base64(proof));
    return prover{.print = print, .public_key = bytes.substr(0, pki::public_key::ed25519_size)};
}

}  // namespace

agent_entry_api::endpoint_limit::endpoint_limit(
    runtime::metrics& metrics, const std::string& endpoint, const options::limits& limits)
    : limiter(limits),
      answered(metrics.make_counter(
          {"muster_agent_requests_total",
           "Total number of agent requests since start, by outcome.",
           {{"question", endpoint}, {"outcome", "answered"}}})),
      limited(metrics.make_counter(
          {"muster_agent_requests_total",
           "Total number of agent requests since start, by outcome.",
           {{"question", endpoint}, {"outcome", "limited"}}})),
      refused(metrics.make_counter(
          {"muster_agent_requests_total",
           "Total number of agent requests since start, by outcome.",
           {{"question", endpoint}, {"outcome", "refused"}}})) {}

agent_entry_api::agent_entry_api(dependencies deps, options options)
    : deps_(deps),
      options_(std::move(options)),
      status_limit_(deps.metrics, "status", options_.status),
      enrol_limit_(deps.metrics, "enrol", options_.enrol),
      placement_limit_(deps.metrics, "place", options_.place),
      placement_pacer_(options_.placement_pace, prng(options_.seed ^ start_time(deps.clock))) {
    for (const auto stage :
         {enrolment::pooled, enrolment::rejected, enrolment::accepted, enrolment::deleted}) {
        deps.metrics.watch_gauge(
            {"muster_systems",
             "Number of systems by stage.",
             {{"stage", std::string(to_string(stage))}}},
            [&systems = deps.systems, stage] { return static_cast<double>(systems.count(stage)); });
    }
}

result<void> agent_entry_api::add_routes(http::router& routes) {
    const auto bind = [this](answer (agent_entry_api::*method)(http::request)) {
        return [this, method](http::request request) {
            return (this->*method)(std::move(request));
        };
    };
    CHECK_OK(routes.add("GET", "/system/status", {bind(&agent_entry_api::status)}));
    CHECK_OK(routes.add("GET", "/system/orphan", {bind(&agent_entry_api::place)}));
    return routes.add(
        "POST",
        "/system/enroll",
        {.handle = bind(&agent_entry_api::enrol), .body_bytes_max = enrol_body_bytes_max});
}

std::optional<http::response> agent_entry_api::limit(
    endpoint_limit& endpoint, const http::request& request) {
    const auto address = request.client_address();
    const bool is_shared = net::is_shared_address(options_.proxies, address);
    const auto now = deps_.clock.now();
    std::optional<access::rate_limiter::refusal> refusal;
    {
        const std::lock_guard lock(endpoint.guard);
        refusal = is_shared ? endpoint.limiter.take_for_all(now)
                            : endpoint.limiter.take(limit_key(address), now);
    }
    if (!refusal) return std::nullopt;
    endpoint.limited.add();
    return with_retry_after(http::problem(429, "too many requests; retry later"), refusal->wait);
}

agent_entry_api::answer agent_entry_api::status(http::request request) {
    if (auto limited = limit(status_limit_, request)) co_return std::move(*limited);
    const auto text = request.query("fp");
    const auto print = fingerprint::parse(text ? std::string_view(*text) : std::string_view());
    if (!print) {
        status_limit_.refused.add();
        co_return http::problem(400, "`fp` must be a fingerprint: 32 pairs of hexadecimal digits");
    }
    const auto state = deps_.systems.status(*print);
    // Until the cache is complete, "unknown" may only mean "not read yet".
    if (state == system_state::fresh && !deps_.systems.complete()) {
        status_limit_.refused.add();
        co_return http::problem(
            error(errc::unavailable, "system cache is still loading; retry later"));
    }
    status_limit_.answered.add();
    co_return to_digit_response(state);
}

agent_entry_api::answer agent_entry_api::enrol(http::request request) {
    if (auto limited = limit(enrol_limit_, request)) co_return std::move(*limited);
    const auto prover = read_prover(request);
    if (!prover) {
        enrol_limit_.refused.add();
        co_return fail(prover.error());
    }
    if (!deps_.systems.complete())
        co_return http::problem(
            error(errc::unavailable, "system cache is still loading; retry later"));
    CO_TRY(const auto body, co_await request.body());
    auto request_data = read_enrol_request(body, deps_.clock.wall(), prover->print);
    if (!request_data) {
        enrol_limit_.refused.add();
        co_return fail(request_data.error());
    }
    request_data->request.public_key = prover->public_key;
    request_data->request.origin = request.client_address().to_string();
    request_data->address = own_address(options_.proxies, request.client_address());
    const auto outcome = co_await within(
        deps_.clock, engine_timeout, deps_.enrolment.enrol(std::move(*request_data)));
    if (!outcome) co_return authentication_problem(outcome.error());
    if (const auto* const retry = std::get_if<fleet::enrolment_service::retry_after>(&*outcome)) {
        enrol_limit_.limited.add();
        co_return with_retry_after(
            http::problem(429, "too many systems are being accepted; retry later"), retry->wait);
    }
    enrol_limit_.answered.add();
    co_return to_digit_response(std::get<fleet::enrolment_service::enrolled>(*outcome).state);
}

http::response agent_entry_api::placement_response(const system_record& system) {
    const auto topology = deps_.topology.read();
    const auto placement = topology->find_owner(system.zone, slot::of(system.print));
    const bool ready =
        placement.server != nullptr && placement.node->state == membership::node_state::serving;
    std::optional<monotonic::duration> wait;
    {
        const std::lock_guard lock(pacer_guard_);
        wait = ready ? placement_pacer_.take(deps_.clock.now()) : placement_pacer_.idle_wait();
    }
    if (wait) return with_retry_after({.status = 204}, *wait);
    auto response = http::text(200, placement.server->address);
    response.fields.emplace_back("cache-control", "no-store");
    return response;
}

agent_entry_api::answer agent_entry_api::place(http::request request) {
    if (auto limited = limit(placement_limit_, request)) co_return std::move(*limited);
    const auto prover = read_prover(request);
    const auto claimed = fingerprint::parse(request.query("fp").value_or(""));
    if (!prover || !claimed || *claimed != prover->print) {
        placement_limit_.refused.add();
        if (!prover) co_return fail(prover.error());
        co_return http::problem(
            claimed ? 403 : 400, "`fp` must be the fingerprint of the key that signed the proof");
    }
    const auto system = deps_.systems.find(prover->print);
    if (!system && !deps_.systems.complete())
        co_return http::problem(
            error(errc::unavailable, "system cache is still loading; retry later"));
    if (!system || system->stage != enrolment::accepted) {
        placement_limit_.refused.add();
        const bool is_deleted = system && system->stage == enrolment::deleted;
        co_return is_deleted ? http::problem(410, "system is permanently deleted")
                             : http::problem(403, "system is not accepted yet");
    }
    placement_limit_.answered.add();
    co_return placement_response(*system);
}

}  // namespace muster::api
