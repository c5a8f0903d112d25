#pragma once

#include "core/table/batch.h"
#include "core/table/query.h"
#include "core/table/schema.h"

#include <string>
#include <string_view>
#include <vector>

namespace muster::ledger_sql {

// The engines' statements, made from the declared tables. Pure text; both engines take numbered
// parameters, ON CONFLICT, row values and IS DISTINCT FROM, so they differ in little.
enum class dialect { sqlite, postgres };

std::string identifier(std::string_view name);
std::string identifier_list(const std::vector<std::string>& names);
std::string text_literal(std::string_view text);
std::string parameter(dialect kind, std::size_t number);  // counted from 1
std::string type_name(dialect kind, table::column_type type);

// The tables in which an engine keeps its own books: applied migrations, the last sequence of each
// sequenced table, the database's identity. Made again and again without harm.
std::vector<std::string> bookkeeping(dialect kind);

// What a migration does, in order.
std::vector<std::string> statements_for(dialect kind, const table::migration& change);

// "ON CONFLICT … DO …" of an insertion; the sequence of a replaced row is replaced with it.
std::string conflict_clause(const table::definition& table, const table::on_existing& policy);

// The names of the declared columns, and of `sequence` when the table has it.
std::vector<std::string> stored_columns(const table::definition& table);

struct statement {
    std::string text;
    table::row parameters;
};

// Reads one row more than the page holds, to know whether there are more.
statement select_statement(
    dialect kind, const table::query& question, const table::checked_query& checked);

}  // namespace muster::ledger_sql
