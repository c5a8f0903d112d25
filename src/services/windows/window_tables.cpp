#include "services/windows/window_tables.h"

#include <optional>
#include <string>

namespace muster::windows {
namespace {

using table::column;
using table::column_type;

// Written with replace_if_grows{"version"}. A row without a document was removed.
table::definition window_records_definition() {
    return {
        .name = std::string(window_records_table),
        .columns =
            {column{.name = "kind", .type = column_type::text},
             column{.name = "name", .type = column_type::text},
             column{.name = "document", .type = column_type::text},
             column{.name = "members", .type = column_type::bytes},
             column{.name = "version", .type = column_type::integer},
             column{.name = "changed_by", .type = column_type::text},
             column{.name = "changed", .type = column_type::time}},
        .key = {"kind", "name"},
        .partition = std::nullopt,
        .sequenced = table::sequencing::by_commit,
    };
}

}  // namespace

std::vector<table::step> window_tables() {
    return {table::create_table{window_records_definition()}};
}

}  // namespace muster::windows
