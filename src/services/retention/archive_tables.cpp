#include "services/retention/archive_tables.h"

#include <optional>
#include <string>

namespace muster::retention {
namespace {

using table::column;
using table::column_type;

// Written with keep_existing: of two who archive the same part one is on record.
table::definition archives_definition() {
    return {
        .name = std::string(archives_table),
        .columns =
            {column{.name = "starts", .type = column_type::time},
             column{.name = "part", .type = column_type::integer},
             column{.name = "made", .type = column_type::time},
             column{.name = "server", .type = column_type::text},
             // Up to where, in the tables' change sequences.
             column{.name = "jobs", .type = column_type::integer},
             column{.name = "tasks", .type = column_type::integer},
             column{.name = "events", .type = column_type::integer},
             column{.name = "payloads", .type = column_type::integer},
             column{.name = "payloads_print", .type = column_type::integer},
             column{.name = "manifest", .type = column_type::text}},  // as the file has it
        .key = {"starts", "part"},
        .partition = std::nullopt,
    };
}

}  // namespace

std::vector<table::step> archive_tables() {
    return {table::create_table{archives_definition()}};
}

}  // namespace muster::retention
