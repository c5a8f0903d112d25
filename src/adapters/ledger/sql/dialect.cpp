#include "adapters/ledger/sql/dialect.h"

#include "base/assert.h"

#include <algorithm>

namespace muster::ledger_sql {
namespace {

using table::column_type;

std::string column_text(dialect kind, const table::column& each) {
    const bool required = each.needed == table::presence::required;
    return identifier(each.name) + " " + type_name(kind, each.type) + (required ? " NOT NULL" : "");
}

std::string create_table_text(dialect kind, const table::definition& what) {
    std::string text = "CREATE TABLE " + identifier(what.name) + " (";
    for (const auto& each : what.readable()) text += column_text(kind, each) + ", ";
    text += "PRIMARY KEY (" + identifier_list(what.key) + "))";
    if (kind == dialect::sqlite) return text + " STRICT";
    if (what.partition) text += " PARTITION BY RANGE (" + identifier(what.partition->column) + ")";
    return text;
}

std::string create_index_text(const table::create_index& what) {
    return "CREATE INDEX " + identifier(what.name) + " ON " + identifier(what.table) + " ("
           + identifier_list(what.columns) + ")";
}

struct step_to_sql {
    dialect kind;
    std::vector<std::string>& into;

    void operator()(const table::create_table& each) const {
        into.push_back(create_table_text(kind, each.table));
        if (!each.table.is_sequenced()) return;
        const std::string sequence(table::sequence_column);
        into.push_back(
            "CREATE INDEX " + identifier(each.table.name + "_by_sequence") + " ON "
            + identifier(each.table.name) + " (" + identifier(sequence) + ")");
        into.push_back(
            "INSERT INTO muster_sequences (table_name, last) VALUES ("
            + text_literal(each.table.name) + ", 0)");
    }
    void operator()(const table::add_column& each) const {
        into.push_back(
            "ALTER TABLE " + identifier(each.table) + " ADD COLUMN "
            + column_text(kind, each.added));
    }
    void operator()(const table::create_index& each) const {
        into.push_back(create_index_text(each));
    }
    void operator()(const table::engine_sql& each) const {
        const auto& text = kind == dialect::sqlite ? each.sqlite : each.postgres;
        if (!text.empty()) into.push_back(text);
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

// Appends parameters to a statement and gives the text that stands for them.
class parameter_list {
public:
    parameter_list(dialect kind, statement& into) : kind_(kind), into_(into) {}

    std::string add(const table::row& values) {
        std::string text;
        for (const auto& each : values) {
            into_.parameters.push_back(each);
            if (!text.empty()) text += ", ";
            text += parameter(kind_, into_.parameters.size());
        }
        return text;
    }

private:
    dialect kind_;
    statement& into_;
};

std::string condition_text(const table::condition& each, parameter_list& parameters) {
    if (each.values.empty()) return "1 = 0";  // one of nothing
    const std::string values = parameters.add(each.values);
    const bool list = each.compare == table::comparison::one_of;
    return identifier(each.column) + " " + std::string(symbol(each.compare)) + " "
           + (list ? "(" + values + ")" : values);
}

std::vector<std::string> names_at(
    const table::definition& what, const std::vector<std::size_t>& positions) {
    const auto columns = what.readable();
    std::vector<std::string> names;
    for (const auto at : positions) names.push_back(columns[at].name);
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
    for (const char letter : text) {
        if (letter == '\'') literal += '\'';
        literal += letter;
    }
    return literal + "'";
}

std::string parameter(dialect kind, std::size_t number) {
    return (kind == dialect::sqlite ? "?" : "$") + std::to_string(number);
}

std::string type_name(dialect kind, column_type type) {
    const bool lite = kind == dialect::sqlite;
    switch (type) {
        case column_type::boolean:
            return lite ? "INTEGER" : "boolean";
        case column_type::integer:
            return lite ? "INTEGER" : "bigint";
        case column_type::real:
            return lite ? "REAL" : "double precision";
        case column_type::text:
            return lite ? "TEXT" : "text COLLATE \"C\"";  // ordered by bytes
        case column_type::bytes:
            return lite ? "BLOB" : "bytea";
        case column_type::time:
            return lite ? "INTEGER" : "timestamptz";
    }
    MUSTER_ASSERT(false);
}

std::vector<std::string> bookkeeping(dialect kind) {
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

std::vector<std::string> statements_for(dialect kind, const table::migration& change) {
    std::vector<std::string> texts;
    for (const auto& each : change.steps) std::visit(step_to_sql{kind, texts}, each);
    return texts;
}

std::vector<std::string> stored_columns(const table::definition& table) {
    std::vector<std::string> names;
    for (const auto& each : table.readable()) names.push_back(each.name);
    return names;
}

std::string conflict_clause(const table::definition& table, const table::on_existing& policy) {
    const std::string target = "ON CONFLICT (" + identifier_list(table.key) + ") DO ";
    std::string changes;
    std::string differs;
    for (const auto& each : table.columns) {
        if (std::ranges::find(table.key, each.name) != table.key.end()) continue;
        const std::string name = identifier(each.name);
        const std::string here = identifier(table.name) + "." + name;
        changes += (changes.empty() ? "" : ", ") + name + " = excluded." + name;
        differs += (differs.empty() ? "" : " OR ") + here + " IS DISTINCT FROM excluded." + name;
    }
    if (std::holds_alternative<table::keep_existing>(policy) || changes.empty())
        return target + "NOTHING";
    if (table.is_sequenced()) changes += ", \"sequence\" = excluded.\"sequence\"";
    if (const auto* growing = std::get_if<table::replace_if_grows>(&policy)) {
        const std::string name = identifier(growing->column);
        differs = identifier(table.name) + "." + name + " < excluded." + name;
    }
    return target + "UPDATE SET " + changes + " WHERE " + differs;
}

statement select_statement(
    dialect kind, const table::query& question, const table::checked_query& checked) {
    const bool up = question.going == table::direction::ascending;
    statement made;
    parameter_list parameters(kind, made);
    std::string where;
    for (const auto& each : question.where)
        where += (where.empty() ? " WHERE " : " AND ") + condition_text(each, parameters);
    const auto order = names_at(*checked.table, checked.order);
    if (!checked.after.empty()) {
        where += (where.empty() ? " WHERE (" : " AND (") + identifier_list(order) + ")";
        where += (up ? " > (" : " < (") + parameters.add(checked.after) + ")";
    }
    std::string by;
    for (const auto& name : order)
        by += (by.empty() ? "" : ", ") + identifier(name) + (up ? " ASC" : " DESC");
    made.text = "SELECT " + identifier_list(stored_columns(*checked.table)) + " FROM "
                + identifier(checked.table->name) + where + " ORDER BY " + by + " LIMIT "
                + std::to_string(question.limit + 1);
    return made;
}

}  // namespace muster::ledger_sql
