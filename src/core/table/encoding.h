#pragma once

#include "core/table/value.h"

#include <string>
#include <string_view>

namespace muster::table {

// Cells as bytes: one tag byte, then eight bytes (big endian) or a length and the content. Not
// ordered; equal encodings mean equal cells.
void encode(const value& cell, std::string& output);
std::string encode(const row& cells);

// Removes one cell from the front of `bytes`. Accepts untrusted input; errc::corrupt if malformed.
result<value> decode_value(std::string_view& bytes);
result<row> decode_row(std::string_view bytes);

}  // namespace muster::table
