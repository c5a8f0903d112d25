#include "services/people/audit_tables.h"

#include <chrono>
#include <optional>
#include <string>

namespace muster::people {
namespace {

using table::column;
using table::column_type;
using table::presence;

table::definition audit_definition() {
    return {
        .name = std::string(audit_table),
        .columns =
            {column{.name = "at", .type = column_type::time},
             column{.name = "id", .type = column_type::text},
             column{.name = "who", .type = column_type::text},
             column{.name = "what", .type = column_type::text},
             column{.name = "origin", .type = column_type::text},
             column{.name = "outcome", .type = column_type::text},
             column{.name = "detail", .type = column_type::text, .needed = presence::optional}},
        .key = {"at", "id"},
        .partition = table::partitioning{.column = "at", .span = std::chrono::hours(24 * 30)},
        .sequenced = table::sequencing::by_commit,
    };
}

}  // namespace

std::vector<table::step> audit_tables() {
    return {table::create_table{audit_definition()}};
}

// Index for the audit entries of one system.
std::vector<table::step> audit_by_system() {
    return {
        table::add_column{
            .table = std::string(audit_table),
            .added =
                {.name = "system", .type = column_type::integer, .needed = presence::optional}},
        table::create_index{
            .name = "audit_by_system",
            .table = std::string(audit_table),
            .columns = {"system", "at"}}};
}

}  // namespace muster::people
