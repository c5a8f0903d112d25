#pragma once

#include "core/table/definition.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace muster::ledger_postgres {

// PostgreSQL's binary form of cells, as parameters and in COPY.

std::uint32_t type_oid(table::column_type type);

// Without a length in front; nothing for null.
std::string to_binary(const table::value& cell);

// With the length in front, as a field of a COPY tuple.
void append_field(const table::value& cell, std::string& out);
void append_int32_field(std::int32_t number, std::string& out);

void append_copy_header(std::string& out);
void append_tuple_start(std::size_t fields, std::string& out);
void append_copy_trailer(std::string& out);

// errc::corrupt when the bytes are not of the type.
result<table::value> from_binary(table::column_type type, std::string_view bytes);
std::int64_t integer_from_binary(std::string_view bytes);  // 4 or 8 bytes

}  // namespace muster::ledger_postgres
