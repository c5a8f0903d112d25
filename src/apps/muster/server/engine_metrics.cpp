#include "apps/muster/server/engine_metrics.h"

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
    export_hits(to, "metastore", [from = of.metadata.get()] { return from->hits(); });
    export_hits(to, "ledger", [from = of.records.get()] { return from->hits(); });
    export_hits(to, "bus", [from = of.doorbell.get()] { return from->hits(); });
}

}  // namespace muster::server
