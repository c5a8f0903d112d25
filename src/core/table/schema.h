#pragma once

#include "core/table/definition.h"

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace muster::table {

// One thing a migration does.
struct create_table {
    definition table;
};
struct add_column {  // must be optional: the rows that are there have no value for it
    std::string table;
    column added;
};
struct create_index {
    std::string name;
    std::string table;
    std::vector<std::string> columns;
};
struct engine_sql {  // what no step above can say; an empty text does nothing on that engine
    std::string postgres;
    std::string sqlite;
};
using step = std::variant<create_table, add_column, create_index, engine_sql>;

struct migration {
    std::int64_t version = 0;  // 1, 2, 3, …
    std::string description;   // one sentence
    std::vector<step> steps;
};

// The whole history of the tables, oldest first. A migration that was released is never altered.
struct schema {
    std::vector<migration> migrations;
};

// A migration as a database remembers it.
struct applied_migration {
    std::int64_t version = 0;
    std::string digest;
};

// Changes when anything a migration does is altered.
std::string digest(const migration& change);

// What is left to do to bring a database up to `wanted`. errc::conflict, with a sentence for the
// operator, when the database is newer than this program or its history is another one.
result<std::vector<migration>> pending(
    const schema& schema, const std::vector<applied_migration>& applied);

// The part of `known` that a database is at; errors as of pending().
result<schema> applied_schema(
    const schema& existing, const std::vector<applied_migration>& applied);

// The tables as they stand after the last migration of a valid schema.
class catalog {
public:
    catalog() = default;

    static result<catalog> of(const schema& history);

    // errc::invalid, with the name, when there is no such table.
    result<const definition*> find(const std::string& table) const;
    const std::map<std::string, definition>& tables() const { return tables_; }
    std::int64_t version() const { return version_; }

private:
    result<void> apply(const migration& change);
    result<void> apply(const create_table& change);
    result<void> apply(const add_column& change);
    result<void> apply(const create_index& change);
    result<void> apply(const engine_sql& change);

    std::map<std::string, definition> tables_;
    std::map<std::string, std::string> indexes_;  // index to table
    std::int64_t version_ = 0;
};

}  // namespace muster::table
