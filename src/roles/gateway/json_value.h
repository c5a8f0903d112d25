#pragma once

#include "core/api/value.h"

#include <boost/json/value.hpp>

namespace muster::gateway {

// JSON and the API's own values, both ways. A time is written as ISO 8601, bytes as Base64; read
// from JSON both are texts. A member that stands twice counts as its last, as JSON has it.
boost::json::value to_json(const api::value& what);
api::value from_json(const boost::json::value& what);

}  // namespace muster::gateway
