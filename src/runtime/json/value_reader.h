#pragma once

#include "base/result.h"
#include "core/api/value.h"

#include <boost/json/value.hpp>

#include <string_view>

namespace muster::runtime {

// Converts JSON to the API's value type. Of a repeated member the last one counts. An integer that
// is too large becomes a floating-point number.
api::value from_json(const boost::json::value& source);

// errc::invalid when the text is not JSON.
result<api::value> parse_json(std::string_view text);

}  // namespace muster::runtime
