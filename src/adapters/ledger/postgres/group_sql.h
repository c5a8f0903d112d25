#pragma once

#include "adapters/ledger/postgres/group.h"
#include "adapters/ledger/sql/dialect.h"

#include <cstddef>
#include <string>

namespace muster::ledger_postgres {

// The statements of a group. Before the declared columns, the staging table has the index of the
// row's request, the index of its insert_batch, and its position among the table's rows.
std::string staging_name(const table::definition& table);
std::string create_staging_text(const table::definition& table);
std::string copy_text(const table::definition& table);

ledger_sql::statement advance_sequence_statement(const table::definition& table, std::size_t rows);

// Returns one row for each request that changed something: request, number of rows, highest
// sequence. When all rows were changed, as is usual, it returns one row without a request for all:
// finding the requests costs a join, a tenth of the whole write.
ledger_sql::statement insert_statement(const staged_table& staged, std::size_t insert_index);

ledger_sql::statement erase_statement(const table::definition& table, const table::row& key);

std::size_t count_rows(const table::batch& change);

}  // namespace muster::ledger_postgres
