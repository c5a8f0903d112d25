#pragma once

#include "services/cluster/readiness.h"

#include <string>

namespace muster::api {

// Reasons name hosts and errors of the inside: they are for those who operate the server.
enum class reasons { told, withheld };

// {"ready":false,"stage":"serving","member":true,"engines":{"metastore":{"state":"answers",…}}}
std::string state_json(const cluster::readiness::report& state, reasons how);

}  // namespace muster::api
