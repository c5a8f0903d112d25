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
constexpr monotonic::duration timeout_max = 60s;  // below the request timeout

api::shape server_shape() {
    using namespace api;
    return record_of(
        {required("server", name()),
         required(
             "zone",
             text().or_nothing().with_about("zone of the node; null for a server without a node")),
         required("roles", list_of(name())),
         required("version", text()),
         required("started", api::time()),
         required("requests", integer(0).with_about("requests answered since start")),
         required("errors", integer(0).with_about("responses with status 500 or above")),
         required("exceptions", integer(0).with_about("handlers that threw an exception")),
         required("too_late", integer(0).with_about("handlers that timed out")),
         required(
             "request_seconds",
             api::number().or_nothing().with_about(
                 "mean time from request header to response; null before the first request")),
         required("connections", integer(0).with_about("open connections")),
         required("bytes_received", integer(0)),
         required("bytes_sent", integer(0)),
         required("cpu_seconds", api::number().with_about("CPU time since start")),
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
                 .with_about("servers that did not respond in time or are offline"))});
}

json::array failures_json(const std::map<std::string, std::string>& failed) {
    json::array response;
    for (const auto& [server, reason] : failed)
        response.push_back(json::object{{"server", server}, {"reason", reason}});
    return response;
}

std::string_view zone_of(const cluster::topology& topology, const std::string& server) {
    const auto it = topology.nodes.find(server);
    return it == topology.nodes.end() ? std::string_view() : it->second.zone;
}

// Adds the server's record to its own statistics.
json::object server_json(
    const cluster::topology& topology, const cluster::server_record& server, json::object stats) {
    const auto zone = zone_of(topology, server.name);
    stats["server"] = server.name;
    stats["zone"] = zone.empty() ? json::value(nullptr) : json::value(zone);
    stats["roles"] = json::value_from(server.roles);
    stats["version"] = server.version;
    stats["started"] = iso_time(server.started);
    return stats;
}

// The mean time of a request; null before the first.
json::value mean_seconds(const http::counters& counters) {
    const auto count = counters.responses_timed.load();
    if (count == 0) return nullptr;
    constexpr double nanoseconds = 1e9;
    return static_cast<double>(counters.response_nanoseconds.load()) / static_cast<double>(count)
           / nanoseconds;
}

result<monotonic::duration> read_timeout(const call& call, monotonic::duration fallback) {
    const auto text = call.optional_text("patience");
    if (!text) return fallback;
    const auto timeout = runtime::parse_duration(*text);
    if (!timeout || *timeout < timeout_min || *timeout > timeout_max)
        return fail(errc::invalid, "`patience` must be a duration from 10ms to 60s, such as 3s");
    return monotonic::duration(*timeout);
}

}  // namespace

result<void> servers_api::declare(registry& operations) {
    using namespace api;
    return operations.add(
        {.name = "servers.stats",
         .summary = "Get statistics of all servers",
         .path = "/api/v1/servers/stats",
         .takes = {in_query(
             "patience",
             text().with_about("timeout for responses of other servers, such as 3s "
                               "(default: setting gateway.peer_timeout)"))},
         .gives = stats_shape(),
         .needed = access::right::topology_read,
         .within = scope::filtered,
         .spans = span::merged},
        handler(this, &servers_api::stats));
}

result<void> servers_api::add_routes(http::router& routes) {
    return routes.add(
        "GET",
        path,
        {.handle = [this](http::request request) { return serve(std::move(request)); },
         .allowed = http::caller::cluster_server,
         .body_bytes_max = 0});
}

async<http::response> servers_api::serve(http::request /*call*/) {
    co_return http::json(200, json::serialize(own_stats()));
}

json::object servers_api::own_stats() const {
    const auto usage = os::read_process_usage();
    json::object response{
        {"cpu_seconds", usage.cpu_seconds},
        {"cores", usage.cores},
        {"memory_bytes", usage.memory_bytes}};
    static const http::counters no_counters;
    const auto* const current = deps_.counters.load();
    const auto& counters = current == nullptr ? no_counters : *current;
    constexpr std::size_t server_errors = 4;
    response["requests"] = counters.requests.load();
    response["errors"] = counters.responses_by_class.at(server_errors).load();
    response["exceptions"] = counters.handler_failures.load();
    response["too_late"] = counters.handlers_timed_out.load();
    response["request_seconds"] = mean_seconds(counters);
    response["connections"] = counters.connections_open.load();
    response["bytes_received"] = counters.bytes_received.load();
    response["bytes_sent"] = counters.bytes_sent.load();
    return response;
}

// A server without a node has no zone; only callers with access to the whole cluster see it.
servers_api::server_list servers_api::list_servers(const call& call) const {
    const auto topology = deps_.topology.read();
    server_list servers;
    for (const auto& [name, server] : topology->servers)
        if (call.may_in(zone_of(*topology, name))) servers.online.push_back(server);
    for (const auto& [name, node] : topology->nodes) {
        if (topology->servers.contains(name) || !call.may_in(node.zone)) continue;
        servers.failed[name] =
            "server is offline; node state is " + std::string(to_string(node.state));
    }
    return servers;
}

async<reply> servers_api::stats(call call) {
    CO_TRY(const auto timeout, read_timeout(call, deps_.peers.default_timeout()));
    auto [online, failed] = list_servers(call);
    std::vector<cluster::server_record> peers;
    std::ranges::copy_if(online, std::back_inserter(peers), [this](const auto& server) {
        return server.name != deps_.self;
    });
    CO_TRY(auto responses, co_await deps_.peers.request_all(std::move(peers), path, timeout));
    const auto topology = deps_.topology.read();
    json::array items;
    auto next = responses.begin();
    for (const auto& server : online) {
        result<json::object> response = json::object();
        if (server.name == deps_.self)
            response = own_stats();
        else
            response = std::move(*next++);
        if (!response) {
            failed[server.name] = response.error().detail();
            continue;
        }
        items.push_back(server_json(*topology, server, *std::move(response)));
    }
    co_return reply{json::object{
        {"at", iso_time(deps_.clock.wall())},
        {"items", std::move(items)},
        {"failed", failures_json(failed)}}};
}

}  // namespace muster::api
