#include "services/content/content_tables.h"

#include <string>

namespace muster::content {
namespace {

using table::column;
using table::column_type;
using table::presence;

// Written with replace_if_grows{"version"}.
table::definition packages_definition() {
    return {
        .name = std::string(content_packages_table),
        .columns =
            {column{.name = "identity", .type = column_type::text},
             column{.name = "number", .type = column_type::integer},
             column{.name = "version", .type = column_type::integer},
             column{.name = "removed", .type = column_type::boolean},
             column{.name = "family", .type = column_type::text},
             column{.name = "name", .type = column_type::text},
             column{.name = "edition", .type = column_type::text},
             column{.name = "arch", .type = column_type::text},
             column{.name = "summary", .type = column_type::text},
             column{.name = "details", .type = column_type::text},  // a JSON object
             column{.name = "changed", .type = column_type::time}},
        .key = {"identity"},
        .partition = std::nullopt,
        .sequenced = table::sequencing::by_commit,
    };
}

// Written with replace_if_grows{"version"}.
table::definition records_definition() {
    return {
        .name = std::string(content_records_table),
        .columns =
            {column{.name = "kind", .type = column_type::text},
             column{.name = "name", .type = column_type::text},
             column{.name = "number", .type = column_type::integer},
             column{.name = "version", .type = column_type::integer},
             column{.name = "removed", .type = column_type::boolean},
             column{.name = "document", .type = column_type::text},  // a JSON object
             column{.name = "packages", .type = column_type::bytes},
             column{.name = "errata", .type = column_type::bytes},
             column{.name = "changed_by", .type = column_type::text},
             column{.name = "changed", .type = column_type::time}},
        .key = {"kind", "name"},
        .partition = std::nullopt,
        .sequenced = table::sequencing::by_commit,
    };
}

// Written with keep_existing: what has the same digest is the same.
table::definition sets_definition() {
    return {
        .name = std::string(content_sets_table),
        .columns =
            {column{.name = "digest", .type = column_type::text},
             column{.name = "packages", .type = column_type::integer},
             column{.name = "bytes", .type = column_type::integer},  // unpacked
             column{.name = "content", .type = column_type::bytes},  // zstd
             column{.name = "stored", .type = column_type::time}},
        .key = {"digest"},
        .partition = std::nullopt,
    };
}

}  // namespace

std::vector<table::step> content_tables() {
    return {
        table::create_table{packages_definition()},
        table::create_table{records_definition()},
        table::create_table{sets_definition()},
        // A package is asked for by its number.
        table::create_index{
            .name = "content_packages_by_number",
            .table = std::string(content_packages_table),
            .columns = {"number"}}};
}

}  // namespace muster::content
