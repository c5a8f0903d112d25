#pragma once

#include "base/result.h"
#include "core/api/value.h"

#include <boost/json/value.hpp>

#include <string_view>

namespace muster::runtime {

// JSON as the API's own value. Of a member that stands twice the last counts, as JSON has it; an
// integer that is too large is a number.
api::value from_json(const boost::json::value& what);

// errc::invalid when the text is no JSON.
result<api::value> parse_json(std::string_view text);

}  // namespace muster::runtime
