#pragma once

#include "core/table/definition.h"

#include <string>

namespace muster::retention {

// A row that was read, as one line of JSON for archives: an object with a member for each column
// that has a value. Times are ISO 8601 in UTC with microseconds, digests hexadecimal, sets of
// systems spans of numbers ("1-100,107"), documents objects; other bytes are a text, or
// {"base64": "…"} when they are none. A payload is unpacked: `plain` holds it whatever its size.
std::string line_of(const table::definition& of, const table::row& cells);

}  // namespace muster::retention
