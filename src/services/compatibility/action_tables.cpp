#include "services/compatibility/action_tables.h"

#include <optional>
#include <string>

namespace muster::compatibility {
namespace {

using table::column;
using table::column_type;

// Written with replace_if_grows{"mark"}: a number is given once, and marks only grow.
table::definition numbers_definition() {
    return {
        .name = std::string(numbers_table),
        .columns =
            {column{.name = "kind", .type = column_type::text},
             column{.name = "name", .type = column_type::text},
             column{.name = "number", .type = column_type::integer},
             column{.name = "mark", .type = column_type::integer}},
        .key = {"kind", "name"},
        .partition = std::nullopt,
    };
}

// Written with replace_if_grows{"version"}. A row without a document was removed.
table::definition action_chains_definition() {
    return {
        .name = std::string(action_chains_table),
        .columns =
            {column{.name = "owner", .type = column_type::text},
             column{.name = "label", .type = column_type::text},
             column{.name = "document", .type = column_type::text},  // a JSON object
             column{.name = "version", .type = column_type::integer},
             column{.name = "changed", .type = column_type::time}},
        .key = {"owner", "label"},
        .partition = std::nullopt,
    };
}

}  // namespace

std::vector<table::step> action_tables() {
    return {
        table::create_table{numbers_definition()},
        table::create_table{action_chains_definition()},
        table::create_index{
            .name = "numbers_by_number",
            .table = std::string(numbers_table),
            .columns = {"kind", "number"}}};
}

}  // namespace muster::compatibility
