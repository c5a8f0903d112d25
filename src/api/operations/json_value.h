#pragma once

#include "core/api/value.h"
#include "runtime/json/value_reader.h"

#include <boost/json/value.hpp>

namespace muster::api {

// JSON and the API's own values, both ways. A time is written as ISO 8601, bytes as Base64; read
// from JSON both are texts.
boost::json::value to_json(const api::value& what);
using runtime::from_json;

}  // namespace muster::api
