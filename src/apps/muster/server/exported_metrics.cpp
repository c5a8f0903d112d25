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
         "Calls refused before they reached an engine, because too much waited for it already.",
         {{"engine", engine}}},
        [read_hits] { return static_cast<double>(read_hits().refused); });
    metrics.watch_counter(
        {"muster_engine_lagging_total",
         "How often the buffer of a slow reader was full.",
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
    export_total("muster_http_requests_total", "Requests answered.", counters.requests);
    export_total(
        "muster_http_connections_total", "Connections accepted.", counters.connections_accepted);
    export_total(
        "muster_http_handshake_failures_total",
        "TLS handshakes failed.",
        counters.handshake_failures);
    export_total("muster_http_refused_total", "Refused: too many in all.", counters.refused_total);
    export_total(
        "muster_http_refused_per_address_total",
        "Refused: too many of one address.",
        counters.refused_per_address);
    export_total(
        "muster_http_too_slow_total", "Cut for being too slow.", counters.deadlines_passed);
    export_total(
        "muster_http_handlers_too_late_total",
        "Requests whose handler was ended without an answer.",
        counters.handlers_timed_out);
    export_total(
        "muster_http_handler_failures_total",
        "Requests whose handler threw.",
        counters.handler_failures);
    metrics.watch_counter(
        {"muster_http_request_seconds_total",
         "Time from requests' heads to their answers, of all together.",
         {{"port", port}}},
        [&counters] {
            constexpr double nanoseconds = 1e9;
            return static_cast<double>(counters.response_nanoseconds.load()) / nanoseconds;
        });
    export_total("muster_http_bytes_received_total", "Bytes received.", counters.bytes_received);
    export_total("muster_http_bytes_sent_total", "Bytes sent.", counters.bytes_sent);
    metrics.watch_gauge(
        {"muster_http_connections", "Connections now.", {{"port", port}}},
        [&counters] { return static_cast<double>(counters.connections_open.load()); });
}

}  // namespace muster::server
