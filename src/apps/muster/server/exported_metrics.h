#pragma once

#include "adapters/net/http/server.h"
#include "apps/muster/server/engine_factory.h"
#include "runtime/metrics.h"

#include <string>

namespace muster::server {

// Export counters of other components as metrics. The components must outlive the metrics' readers.

// How often the limits of the engines were hit.
void export_limits(runtime::metrics& metrics, const opened_engines& engines);

// The counters of an HTTP server, labelled with the name of its port.
void export_counters(
    runtime::metrics& metrics, const net::http::server& server, const std::string& port);

}  // namespace muster::server
