#pragma once

#include "core/table/value.h"

#include <string>
#include <string_view>

namespace muster::table {

// Cells as bytes: one tag byte, then eight bytes (big endian) or a length and the content. Not
// ordered; equal encodings mean equal cells.
void encode(const value& cell, std::string& into);
std::string encode(const row& cells);

// Takes one cell off the front of `from`. Trusts nothing: errc::corrupt when it is not an encoding.
result<value> decode_value(std::string_view& from);
result<row> decode_row(std::string_view from);

}  // namespace muster::table
