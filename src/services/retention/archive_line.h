#pragma once

#include "core/table/definition.h"

#include <string>

namespace muster::retention {

// Converts a row to one line of JSON for archives: an object with a member for each column that has
// a value. Times are ISO 8601 in UTC with microseconds, digests hexadecimal, sets of systems ranges
// ("1-100,107"), documents objects. Other bytes are a text, or {"base64": "…"}. Payloads are
// decompressed into `plain`.
std::string to_archive_line(const table::definition& definition, const table::row& row);

}  // namespace muster::retention
