#pragma once

#include "adapters/ledger/postgres/group.h"
#include "adapters/ledger/sql/dialect.h"

#include <cstddef>
#include <string>

namespace muster::ledger_postgres {

// The statements of a group. The staging table has, in front of the declared columns, the place of
// the row's batch in the group, the row's lane, and its order among the table's rows.
std::string staging_name(const table::definition& table);
std::string create_staging_text(const table::definition& table);
std::string copy_text(const table::definition& table);

ledger_sql::statement advance_sequence(const table::definition& table, std::size_t rows);

// Answers one row a batch that changed something: batch, how many rows, the highest sequence. When
// every row of the lane did, as is usual, one row without a batch for all of them: finding out
// whose rows those are costs a join, a tenth of the whole write.
ledger_sql::statement insert_lane(const staged_table& staged_table, std::size_t lane_number);

ledger_sql::statement erase_row(const table::definition& table, const table::row& key);

std::size_t written_rows(const table::batch& change);

}  // namespace muster::ledger_postgres
