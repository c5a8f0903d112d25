#pragma once

#include "adapters/net/http/server.h"
#include "apps/muster/server/engine_factory.h"
#include "runtime/metrics.h"

#include <string>

namespace muster::server {

// Shows what others count, whenever the metrics are read: they must outlive the metrics' readers.

// How often the engines' own limits were hit.
void export_limits(runtime::metrics& to, const opened_engines& of);

// What an HTTP server has seen, under the name of its port.
void export_counters(runtime::metrics& to, const net::http::server& of, const std::string& port);

}  // namespace muster::server
