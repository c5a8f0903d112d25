#pragma once

#include "core/table/batch.h"
#include "core/table/query.h"
#include "core/table/schema.h"

#include <string>
#include <string_view>
#include <vector>

namespace muster::ledger_sql {

// Builds SQL statements from the declared tables. Pure. Both engines support numbered parameters,
// ON CONFLICT, row values and IS DISTINCT FROM, so they differ little.
enum class dialect { sqlite, postgres };

std::string identifier(std::string_view name);
std::string identifier_list(const std::vector<std::string>& names);
std::string text_literal(std::string_view text);
std::string parameter(dialect kind, std::size_t number);  // counted from 1
std::string type_name(dialect kind, table::column_type type);

// Creates the ledger's own tables: applied migrations, the last sequence of each sequenced table,
// and the identity of the database. Idempotent.
std::vector<std::string> bookkeeping_statements(dialect kind);

// The statements of a migration, in order.
std::vector<std::string> migration_statements(dialect kind, const table::migration& change);

// "ON CONFLICT … DO …" of an insertion. A replaced row also gets a new sequence.
std::string conflict_clause(const table::definition& table, const table::on_existing& policy);

// The names of the declared columns, and of `sequence` when the table has it.
std::vector<std::string> stored_columns(const table::definition& table);

struct statement {
    std::string text;
    table::row parameters;
};

// Reads one row more than a page holds, to find out whether there are more.
statement select_statement(
    dialect kind, const table::query& query, const table::checked_query& checked);

}  // namespace muster::ledger_sql
