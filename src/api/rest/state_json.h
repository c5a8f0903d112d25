#pragma once

#include "services/cluster/readiness.h"

#include <string>

namespace muster::api {

// Error details name internal hosts; only operators of the server see them.
enum class engine_details { shown, withheld };

// {"ready":false,"stage":"serving","member":true,"engines":{"metastore":{"state":"answers",…}}}
std::string state_json(const cluster::readiness::report& state, engine_details details);

}  // namespace muster::api
