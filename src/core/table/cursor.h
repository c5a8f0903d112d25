#pragma once

#include "core/table/query.h"

#include <string>
#include <vector>

namespace muster::table {

// A place between two rows of a query's answer, as an opaque string that may travel through
// clients. It fits only the query it came from (limit aside) and holds nothing but cells of a row
// that the client has seen.
std::string encode_cursor(const table::query& query, const row& cells);

// Hostile input: errc::invalid unless it is a cursor of this query with cells of these types.
result<row> decode_cursor(const table::query& query, const std::vector<column_type>& types);

}  // namespace muster::table
