#include "apps/muster/server/exported_metrics.h"

#include <functional>
#include <string>
#include <utility>

namespace muster::server {
namespace {

void export_hits(
    runtime::metrics& metrics, const std::string& engine, std::function<limit_hits()> read_hits) {
    metrics.watch_counter(
        {"muster_engine_refused_total",
         "Total number of calls refused because the queue of the engine was full.",
         {{"engine", engine}}},
        [read_hits] { return static_cast<double>(read_hits().refused); });
    metrics.watch_counter(
        {"muster_engine_lagging_total",
         "Total number of times the buffer of a slow reader was full.",
         {{"engine", engine}}},
        [read_hits] { return static_cast<double>(read_hits().lagging); });
}

}  // namespace

void export_limits(runtime::metrics& metrics, const opened_engines& engines) {
    export_hits(
        metrics, "metastore", [engine = engines.metastore.get()] { return engine->hits(); });
    export_hits(metrics, "ledger", [engine = engines.ledger.get()] { return engine->hits(); });
    export_hits(metrics, "bus", [engine = engines.bus.get()] { return engine->hits(); });
}

void export_counters(
    runtime::metrics& metrics, const net::http::server& server, const std::string& port) {
    const auto& counters = server.metrics();
    const auto export_total = [&](const char* name, const char* help, const auto& total) {
        metrics.watch_counter(
            {name, help, {{"port", port}}}, [&total] { return static_cast<double>(total.load()); });
    };
    export_total(
        "muster_http_requests_total", "Total number of requests answered.", counters.requests);
    export_total(
        "muster_http_connections_total",
        "Total number of connections accepted.",
        counters.connections_accepted);
    export_total(
        "muster_http_handshake_failures_total",
        "Total number of failed TLS handshakes.",
        counters.handshake_failures);
    export_total(
        "muster_http_refused_total",
        "Total number of connections refused by the limit http.connections_max.",
        counters.refused_total);
    export_total(
        "muster_http_refused_per_address_total",
        "Total number of connections refused by the limit http.connections_per_address_max.",
        counters.refused_per_address);
    export_total(
        "muster_http_timeouts_total",
        "Total number of connections closed by a timeout.",
        counters.deadlines_passed);
    export_total(
        "muster_http_handler_timeouts_total",
        "Total number of requests whose handler timed out.",
        counters.handlers_timed_out);
    export_total(
        "muster_http_handler_failures_total",
        "Total number of requests whose handler failed with an exception.",
        counters.handler_failures);
    metrics.watch_counter(
        {"muster_http_request_seconds_total",
         "Total time from request header to response, in seconds.",
         {{"port", port}}},
        [&counters] {
            constexpr double nanoseconds = 1e9;
            return static_cast<double>(counters.response_nanoseconds.load()) / nanoseconds;
        });
    export_total(
        "muster_http_bytes_received_total",
        "Total number of bytes received.",
        counters.bytes_received);
    export_total(
        "muster_http_bytes_sent_total", "Total number of bytes sent.", counters.bytes_sent);
    metrics.watch_gauge(
        {"muster_http_connections", "Number of open connections.", {{"port", port}}},
        [&counters] { return static_cast<double>(counters.connections_open.load()); });
}

}  // namespace muster::server
