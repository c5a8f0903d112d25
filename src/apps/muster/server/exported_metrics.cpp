#include "apps/muster/server/exported_metrics.h"

#include <functional>
#include <string>
#include <utility>

namespace muster::server {
namespace {

void export_hits(
    runtime::metrics& to, const std::string& engine, std::function<limit_hits()> read) {
    to.watch_counter(
        {"muster_engine_refused_total",
         "Calls refused before they reached an engine, because too much waited for it already.",
         {{"engine", engine}}},
        [read] { return static_cast<double>(read().refused); });
    to.watch_counter(
        {"muster_engine_lagging_total",
         "How often the buffer of a slow reader was full.",
         {{"engine", engine}}},
        [read] { return static_cast<double>(read().lagging); });
}

}  // namespace

void export_limits(runtime::metrics& to, const opened_engines& of) {
    export_hits(to, "metastore", [from = of.metastore.get()] { return from->hits(); });
    export_hits(to, "ledger", [from = of.ledger.get()] { return from->hits(); });
    export_hits(to, "bus", [from = of.bus.get()] { return from->hits(); });
}

void export_counters(runtime::metrics& to, const net::http::server& of, const std::string& port) {
    const auto& observed = of.counted();
    const auto export_total = [&](const char* name, const char* help, const auto& total) {
        to.watch_counter(
            {name, help, {{"port", port}}}, [&total] { return static_cast<double>(total.load()); });
    };
    export_total("muster_http_requests_total", "Requests answered.", observed.requests);
    export_total(
        "muster_http_connections_total", "Connections accepted.", observed.connections_accepted);
    export_total(
        "muster_http_handshake_failures_total",
        "TLS handshakes failed.",
        observed.handshake_failures);
    export_total("muster_http_refused_total", "Refused: too many in all.", observed.refused_in_all);
    export_total(
        "muster_http_refused_per_address_total",
        "Refused: too many of one address.",
        observed.refused_per_address);
    export_total(
        "muster_http_too_slow_total", "Cut for being too slow.", observed.deadlines_passed);
    export_total(
        "muster_http_handlers_too_late_total",
        "Requests whose handler was ended without an answer.",
        observed.handlers_too_late);
    export_total(
        "muster_http_handler_failures_total",
        "Requests whose handler threw.",
        observed.handler_failures);
    to.watch_counter(
        {"muster_http_request_seconds_total",
         "Time from requests' heads to their answers, of all together.",
         {{"port", port}}},
        [&observed] {
            constexpr double nanoseconds = 1e9;
            return static_cast<double>(observed.answering_nanoseconds.load()) / nanoseconds;
        });
    export_total("muster_http_bytes_received_total", "Bytes received.", observed.bytes_received);
    export_total("muster_http_bytes_sent_total", "Bytes sent.", observed.bytes_sent);
    to.watch_gauge({"muster_http_connections", "Connections now.", {{"port", port}}}, [&observed] {
        return static_cast<double>(observed.connections_now.load());
    });
}

}  // namespace muster::server
