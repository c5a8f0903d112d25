#include "adapters/ledger/postgres/group_sql.h"

namespace muster::ledger_postgres {
namespace {

using ledger_sql::dialect;
using ledger_sql::identifier;
using ledger_sql::identifier_list;

std::vector<std::string> column_names(const table::definition& table) {
    std::vector<std::string> names;
    for (const auto& column : table.columns) names.push_back(column.name);
    return names;
}

std::string qualified_list(std::string_view table, const std::vector<std::string>& names) {
    std::string text;
    for (const auto& name : names) {
        if (!text.empty()) text += ", ";
        text += std::string(table) + "." + identifier(name);
    }
    return text;
}

}  // namespace

// Columns are only ever added, so their number tells one version of a table from another.
std::string staging_name(const table::definition& table) {
    return identifier("stage_" + table.name + "_" + std::to_string(table.columns.size()));
}

std::string create_staging_text(const table::definition& table) {
    std::string text = "CREATE TEMPORARY TABLE IF NOT EXISTS " + staging_name(table)
                       + " (muster_batch integer, muster_lane integer, muster_order integer";
    for (const auto& column : table.columns)
        text += ", " + identifier(column.name) + " "
                + ledger_sql::type_name(dialect::postgres, column.type);
    return text + ") ON COMMIT DELETE ROWS";
}

std::string copy_text(const table::definition& table) {
    return "COPY " + staging_name(table) + " FROM STDIN (FORMAT binary)";
}

ledger_sql::statement advance_sequence_statement(const table::definition& table, std::size_t rows) {
    return {
        .text = "UPDATE muster_sequences SET last = last + $1 WHERE table_name = $2",
        .parameters = {static_cast<std::int64_t>(rows), table.name}};
}

ledger_sql::statement insert_statement(const staged_table& staged, std::size_t insert_index) {
    const auto& table = *staged.table;
    const auto columns = column_names(table);
    const bool sequenced = table.is_sequenced();
    ledger_sql::statement statement;
    statement.parameters = {static_cast<std::int64_t>(insert_index)};
    std::string source = " FROM " + staging_name(table) + " s";
    std::string values = qualified_list("s", columns);
    if (sequenced) {
        values += ", q.last - $2 + s.muster_order";
        source += ", muster_sequences q";
        statement.parameters.emplace_back(static_cast<std::int64_t>(staged.row_count()));
    }
    source += " WHERE s.muster_lane = $1";
    if (sequenced) source += " AND q.table_name = " + ledger_sql::text_literal(table.name);

    std::string same_key;
    for (const auto& name : table.key) {
        if (!same_key.empty()) same_key += " AND ";
        same_key += "d." + identifier(name) + " = s." + identifier(name);
    }
    const auto& insert_batch = staged.insert_batches[insert_index];
    statement.parameters.emplace_back(static_cast<std::int64_t>(insert_batch.rows.size()));
    const auto row_total = ledger_sql::parameter(dialect::postgres, statement.parameters.size());
    const std::string last = sequenced ? "max(d.\"sequence\")" : "NULL::bigint";
    statement.text =
        "WITH done AS (INSERT INTO " + identifier(table.name) + " ("
        + identifier_list(ledger_sql::stored_columns(table)) + ") SELECT " + values + source + " "
        + ledger_sql::conflict_clause(table, insert_batch.policy) + " RETURNING "
        + identifier_list(table.key) + (sequenced ? ", \"sequence\"" : "")
        + "), total AS (SELECT count(*) AS changed, " + last + " AS last FROM done d) "
        + "SELECT NULL::integer, changed, last FROM total WHERE changed = " + row_total
        + " UNION ALL SELECT s.muster_batch, count(*), " + last + " FROM done d JOIN "
        + staging_name(table) + " s ON " + same_key + " WHERE (SELECT changed FROM total) <> "
        + row_total + " GROUP BY s.muster_batch";
    return statement;
}

ledger_sql::statement erase_statement(const table::definition& table, const table::row& key) {
    ledger_sql::statement statement{
        .text = "DELETE FROM " + identifier(table.name), .parameters = key};
    for (std::size_t index = 0; index < table.key.size(); ++index)
        statement.text += (index == 0 ? " WHERE " : " AND ") + identifier(table.key[index]) + " = "
                          + ledger_sql::parameter(dialect::postgres, index + 1);
    return statement;
}

std::size_t count_rows(const table::batch& change) {
    std::size_t count = 0;
    for (const auto& write : change.writes) count += write.rows.size();
    return count;
}

}  // namespace muster::ledger_postgres
