#pragma once

#include "adapters/sqlite/statement.h"
#include "core/table/definition.h"

#include <vector>

namespace muster::ledger_sqlite {

// A cell as SQLite stores it: booleans as 0 and 1, times as microseconds since 1970. The parameter
// is a view of the cell.
sqlite::parameter to_parameter(const table::value& cell);
std::vector<sqlite::parameter> to_parameters(const table::row& cells);

// The current row of a statement that selected exactly `columns`.
table::row read_row(const sqlite::statement& row, const std::vector<table::column>& columns);

}  // namespace muster::ledger_sqlite
