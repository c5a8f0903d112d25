#include "api/rest/servers_api.h"

#include "adapters/os/process_usage.h"
#include "base/iso_time.h"
#include "runtime/settings/units.h"

#include <boost/json.hpp>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

namespace muster::api {
namespace {

using namespace std::chrono_literals;
namespace http = net::http;
namespace json = boost::json;

constexpr const char* path = "/cluster/stats";
constexpr monotonic::duration timeout_min = 10ms;
constexpr monotonic::duration timeout_max = 60s;  // below what a request may take

api::shape server_shape() {
    using namespace api;
    return record_of(
        {required("server", name()),
         required("zone", text().or_nothing().with_about("of its node; null: it has none")),
         required("roles", list_of(name())),
         required("version", text()),
         required("started", api::time()),
         required("requests", integer(0).with_about("answered since the start")),
         required("errors", integer(0).with_about("of these with a status of 500 or above")),
         required("exceptions", integer(0).with_about("handlers that threw")),
         required("too_late", integer(0).with_about("handlers ended without an answer")),
         required(
             "request_seconds",
             api::number().or_nothing().with_about(
                 "on average from a request's head to its answer; null before the first")),
         required("connections", integer(0).with_about("now")),
         required("bytes_received", integer(0)),
         required("bytes_sent", integer(0)),
         required("cpu_seconds", api::number().with_about("used since the start")),
         required("cores", integer(1)),
         required("memory_bytes", integer(0))});
}

api::shape stats_shape() {
    using namespace api;
    return record_of(
        {required("at", api::time()),
         required("items", list_of(server_shape())),
         required(
             "failed",
             list_of(record_of({required("server", name()), required("reason", text())}))
                 .with_about("servers that did not answer in time, or are not there"))});
}

json::array failures(const std::map<std::string, std::string>& all) {
    json::array response;
    for (const auto& [server, reason] : all)
        response.push_back(json::object{{"server", server}, {"reason", reason}});
    return response;
}

std::string_view zone_of(const cluster::topology& topology, const std::string& server) {
    const auto it = topology.nodes.find(server);
    return it == topology.nodes.end() ? std::string_view() : it->second.zone;
}

// Who it is, as the cluster knows it, with what it says of itself.
json::object described(
    const cluster::topology& topology, const cluster::server_record& server, json::object says) {
    const auto zone = zone_of(topology, server.name);
    says["server"] = server.name;
    says["zone"] = zone.empty() ? json::value(nullptr) : json::value(zone);
    says["roles"] = json::value_from(server.roles);
    says["version"] = server.version;
    says["started"] = iso_time(server.started);
    return says;
}

// The mean time of a request; null before the first.
json::value mean_seconds(const http::counters& counters) {
    const auto count = counters.answers_timed.load();
    if (count == 0) return nullptr;
    constexpr double nanoseconds = 1e9;
    return static_cast<double>(counters.answering_nanoseconds.load()) / static_cast<double>(count)
           / nanoseconds;
}

result<monotonic::duration> timeout_of(const call& call, monotonic::duration usual) {
    const auto input = call.optional_text("patience");
    if (!input) return usual;
    const auto span = runtime::parse_duration(*input);
    if (!span || *span < timeout_min || *span > timeout_max)
        return fail(errc::invalid, "`patience` must be a span from 10ms to 60s, such as 3s");
    return monotonic::duration(*span);
}

}  // namespace

result<void> servers_api::declare(registry& to) {
    using namespace api;
    return to.add(
        {.name = "servers.stats",
         .summary = "What each server counts of itself: requests, failures, times, its machine",
         .path = "/api/v1/servers/stats",
         .takes = {in_query(
             "patience",
             text().with_about("how long to wait for them: 3s; a setting says how "
                               "long if not given"))},
         .gives = stats_shape(),
         .needed = access::right::topology_read,
         .within = scope::filtered,
         .spans = span::merged},
        done_by(this, &servers_api::stats));
}

result<void> servers_api::add_routes(http::router& routes) {
    return routes.add(
        "GET",
        path,
        {.handle = [this](http::request request) { return serve(std::move(request)); },
         .allowed = http::caller::cluster_server,
         .body_bytes_max = 0});
}

async<http::response> servers_api::serve(http::request /*asked*/) {
    co_return http::json(200, json::serialize(own_stats()));
}

json::object servers_api::own_stats() const {
    const auto used = os::read_process_usage();
    json::object response{
        {"cpu_seconds", used.cpu_seconds},
        {"cores", used.cores},
        {"memory_bytes", used.memory_bytes}};
    static const http::counters nothing_yet;
    const auto* const counted = deps_.counters.load();
    const auto& observed = counted == nullptr ? nothing_yet : *counted;
    constexpr std::size_t server_errors = 4;
    response["requests"] = observed.requests.load();
    response["errors"] = observed.answers_by_class.at(server_errors).load();
    response["exceptions"] = observed.handler_failures.load();
    response["too_late"] = observed.handlers_too_late.load();
    response["request_seconds"] = mean_seconds(observed);
    response["connections"] = observed.connections_now.load();
    response["bytes_received"] = observed.bytes_received.load();
    response["bytes_sent"] = observed.bytes_sent.load();
    return response;
}

// A server without a node is in no zone: it is for those who may see the whole cluster.
servers_api::roll servers_api::call_the_roll(const call& call) const {
    const auto topology = deps_.topology.read();
    roll all;
    for (const auto& [name, server] : topology->servers)
        if (call.may_in(zone_of(*topology, name))) all.there.push_back(server);
    for (const auto& [name, node] : topology->nodes) {
        if (topology->servers.contains(name) || !call.may_in(node.zone)) continue;
        all.failed[name] =
            "the server is not there; its node is " + std::string(to_string(node.state));
    }
    return all;
}

async<reply> servers_api::stats(call call) {
    CO_TRY(const auto timeout, timeout_of(call, deps_.others.usual_timeout()));
    auto [there, failed] = call_the_roll(call);
    std::vector<cluster::server_record> others;
    std::ranges::copy_if(there, std::back_inserter(others), [this](const auto& each) {
        return each.name != deps_.self;
    });
    CO_TRY(auto answers, co_await deps_.others.ask(std::move(others), path, timeout));
    const auto topology = deps_.topology.read();
    json::array items;
    auto next = answers.begin();
    for (const auto& each : there) {
        result<json::object> response = json::object();
        if (each.name == deps_.self)
            response = own_stats();
        else
            response = std::move(*next++);
        if (!response) {
            failed[each.name] = response.error().detail();
            continue;
        }
        items.push_back(described(*topology, each, *std::move(response)));
    }
    co_return reply{json::object{
        {"at", iso_time(deps_.clock.wall())},
        {"items", std::move(items)},
        {"failed", failures(failed)}}};
}

}  // namespace muster::api
