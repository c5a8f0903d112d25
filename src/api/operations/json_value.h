#pragma once

#include "core/api/value.h"
#include "runtime/json/value_reader.h"

#include <boost/json/value.hpp>

namespace muster::api {

// Converts API values to and from JSON. Times are written as ISO 8601, bytes as Base64; both are
// read back as texts.
boost::json::value to_json(const api::value& value);
using runtime::from_json;

}  // namespace muster::api
