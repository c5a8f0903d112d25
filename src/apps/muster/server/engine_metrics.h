#pragma once

#include "apps/muster/server/engine_opening.h"
#include "runtime/metrics.h"

namespace muster::server {

// Shows how often the engines' own limits were hit. The engines must outlive the metrics' readers.
void export_limits(runtime::metrics& to, const opened_engines& of);

}  // namespace muster::server
