#include "adapters/ledger/sql/dialect.h"

#include "base/assert.h"

#include <algorithm>

namespace muster::ledger_sql {
namespace {

using table::column_type;

std::string column_declaration(dialect kind, const table::column& column) {
    const bool required = column.needed == table::presence::required;
    return identifier(column.name) + " " + type_name(kind, column.type)
           + (required ? " NOT NULL" : "");
}

std::string create_table_text(dialect kind, const table::definition& definition) {
    std::string text = "CREATE TABLE " + identifier(definition.name) + " (";
    for (const auto& column : definition.readable())
        text += column_declaration(kind, column) + ", ";
    text += "PRIMARY KEY (" + identifier_list(definition.key) + "))";
    if (kind == dialect::sqlite) return text + " STRICT";
    if (definition.partition)
        text += " PARTITION BY RANGE (" + identifier(definition.partition->column) + ")";
    return text;
}

std::string create_index_text(const table::create_index& create_index) {
    return "CREATE INDEX " + identifier(create_index.name) + " ON " + identifier(create_index.table)
           + " (" + identifier_list(create_index.columns) + ")";
}

struct step_to_sql {
    dialect kind;
    std::vector<std::string>& texts;

    void operator()(const table::create_table& create_table) const {
        texts.push_back(create_table_text(kind, create_table.table));
        if (!create_table.table.is_sequenced()) return;
        const std::string sequence(table::sequence_column);
        texts.push_back(
            "CREATE INDEX " + identifier(create_table.table.name + "_by_sequence") + " ON "
            + identifier(create_table.table.name) + " (" + identifier(sequence) + ")");
        texts.push_back(
            "INSERT INTO muster_sequences (table_name, last) VALUES ("
            + text_literal(create_table.table.name) + ", 0)");
    }
    void operator()(const table::add_column& add_column) const {
        texts.push_back(
            "ALTER TABLE " + identifier(add_column.table) + " ADD COLUMN "
            + column_declaration(kind, add_column.added));
    }
    void operator()(const table::create_index& create_index) const {
        texts.push_back(create_index_text(create_index));
    }
    void operator()(const table::engine_sql& engine_sql) const {
        const auto& text = kind == dialect::sqlite ? engine_sql.sqlite : engine_sql.postgres;
        if (!text.empty()) texts.push_back(text);
    }
};

std::string_view symbol(table::comparison compare) {
    switch (compare) {
        case table::comparison::equal:
            return "=";
        case table::comparison::less:
            return "<";
        case table::comparison::less_or_equal:
            return "<=";
        case table::comparison::greater:
            return ">";
        case table::comparison::greater_or_equal:
            return ">=";
        case table::comparison::one_of:
            return "IN";
    }
    MUSTER_ASSERT(false);
}

// Appends parameters to a statement and returns their placeholders.
class parameter_list {
public:
    parameter_list(dialect kind, statement& statement) : kind_(kind), statement_(statement) {}

    std::string add(const table::row& values) {
        std::string text;
        for (const auto& value : values) {
            statement_.parameters.push_back(value);
            if (!text.empty()) text += ", ";
            text += parameter(kind_, statement_.parameters.size());
        }
        return text;
    }

private:
    dialect kind_;
    statement& statement_;
};

std::string condition_text(const table::condition& condition, parameter_list& parameters) {
    if (condition.values.empty()) return "1 = 0";  // one of nothing
    const std::string values = parameters.add(condition.values);
    const bool list = condition.compare == table::comparison::one_of;
    return identifier(condition.column) + " " + std::string(symbol(condition.compare)) + " "
           + (list ? "(" + values + ")" : values);
}

std::vector<std::string> column_names(
    const table::definition& definition, const std::vector<std::size_t>& positions) {
    const auto columns = definition.readable();
    std::vector<std::string> names;
    for (const auto position : positions) names.push_back(columns[position].name);
    return names;
}

}  // namespace

std::string identifier(std::string_view name) {
    return "\"" + std::string(name) + "\"";  // names are a-z, 0-9 and _ (table::check_name)
}

std::string identifier_list(const std::vector<std::string>& names) {
    std::string text;
    for (const auto& name : names) text += (text.empty() ? "" : ", ") + identifier(name);
    return text;
}

std::string text_literal(std::string_view text) {
    std::string literal = "'";
    for (const char character : text) {
        if (character == '\'') literal += '\'';
        literal += character;
    }
    return literal + "'";
}

std::string parameter(dialect kind, std::size_t number) {
    return (kind == dialect::sqlite ? "?" : "$") + std::to_string(number);
}

std::string type_name(dialect kind, column_type type) {
    const bool is_sqlite = kind == dialect::sqlite;
    switch (type) {
        case column_type::boolean:
            return is_sqlite ? "INTEGER" : "boolean";
        case column_type::integer:
            return is_sqlite ? "INTEGER" : "bigint";
        case column_type::real:
            return is_sqlite ? "REAL" : "double precision";
        case column_type::text:
            return is_sqlite ? "TEXT" : "text COLLATE \"C\"";  // ordered by bytes
        case column_type::bytes:
            return is_sqlite ? "BLOB" : "bytea";
        case column_type::time:
            return is_sqlite ? "INTEGER" : "timestamptz";
    }
    MUSTER_ASSERT(false);
}

std::vector<std::string> bookkeeping_statements(dialect kind) {
    const std::string text = type_name(kind, column_type::text);
    const std::string integer = type_name(kind, column_type::integer);
    return {
        "CREATE TABLE IF NOT EXISTS muster_migrations (version " + integer + " PRIMARY KEY, what "
            + text + " NOT NULL, digest " + text + " NOT NULL)",
        "CREATE TABLE IF NOT EXISTS muster_sequences (table_name " + text + " PRIMARY KEY, last "
            + integer + " NOT NULL)",
        "CREATE TABLE IF NOT EXISTS muster_identity (singleton " + integer + " PRIMARY KEY, name "
            + text + " NOT NULL)",
    };
}

std::vector<std::string> migration_statements(dialect kind, const table::migration& change) {
    std::vector<std::string> texts;
    for (const auto& step : change.steps) std::visit(step_to_sql{kind, texts}, step);
    return texts;
}

std::vector<std::string> stored_columns(const table::definition& table) {
    std::vector<std::string> names;
    for (const auto& column : table.readable()) names.push_back(column.name);
    return names;
}

std::string conflict_clause(const table::definition& table, const table::on_existing& policy) {
    const std::string target = "ON CONFLICT (" + identifier_list(table.key) + ") DO ";
    std::string assignments;
    std::string condition;
    for (const auto& column : table.columns) {
        if (std::ranges::find(table.key, column.name) != table.key.end()) continue;
        const std::string name = identifier(column.name);
        const std::string current = identifier(table.name) + "." + name;
        assignments += (assignments.empty() ? "" : ", ") + name + " = excluded." + name;
        condition +=
            (condition.empty() ? "" : " OR ") + current + " IS DISTINCT FROM excluded." + name;
    }
    if (std::holds_alternative<table::keep_existing>(policy) || assignments.empty())
        return target + "NOTHING";
    if (table.is_sequenced()) assignments += ", \"sequence\" = excluded.\"sequence\"";
    if (const auto* growing = std::get_if<table::replace_if_grows>(&policy)) {
        const std::string name = identifier(growing->column);
        condition = identifier(table.name) + "." + name + " < excluded." + name;
    }
    return target + "UPDATE SET " + assignments + " WHERE " + condition;
}

statement select_statement(
    dialect kind, const table::query& query, const table::checked_query& checked) {
    const bool ascending = query.going == table::direction::ascending;
    ledger_sql::statement statement;
    parameter_list parameters(kind, statement);
    std::string where;
    for (const auto& condition : query.where)
        where += (where.empty() ? " WHERE " : " AND ") + condition_text(condition, parameters);
    const auto order = column_names(*checked.table, checked.order);
    if (!checked.after.empty()) {
        where += (where.empty() ? " WHERE (" : " AND (") + identifier_list(order) + ")";
        where += (ascending ? " > (" : " < (") + parameters.add(checked.after) + ")";
    }
    std::string order_by;
    for (const auto& name : order)
        order_by +=
            (order_by.empty() ? "" : ", ") + identifier(name) + (ascending ? " ASC" : " DESC");
    statement.text = "SELECT " + identifier_list(stored_columns(*checked.table)) + " FROM "
                     + identifier(checked.table->name) + where + " ORDER BY " + order_by + " LIMIT "
                     + std::to_string(query.limit + 1);
    return statement;
}

}  // namespace muster::ledger_sql
