#include "services/configuration/configuration_tables.h"

#include <string>
#include <utility>

namespace muster::configuration {
namespace {

using table::column;
using table::column_type;

// Written with replace_if_grows{"version"}. A row without a document was removed.
table::definition records_definition() {
    return {
        .name = std::string(config_records_table),
        .columns =
            {column{.name = "kind", .type = column_type::text},
             column{.name = "name", .type = column_type::text},
             column{.name = "document", .type = column_type::text},  // a JSON object
             column{.name = "version", .type = column_type::integer},
             column{.name = "changed_by", .type = column_type::text},
             column{.name = "changed", .type = column_type::time}},
        .key = {"kind", "name"},
        .partition = std::nullopt,
        .sequenced = table::sequencing::by_commit,
    };
}

// Written with replace_if_grows{"version"}. A row without a document was removed; its revisions go
// on where they were when the path comes back.
table::definition files_definition() {
    return {
        .name = std::string(config_files_table),
        .columns =
            {column{.name = "holder", .type = column_type::text},
             column{.name = "path", .type = column_type::text},
             column{.name = "document", .type = column_type::text},  // its revisions, in JSON
             column{.name = "version", .type = column_type::integer},
             column{.name = "changed", .type = column_type::time}},
        .key = {"holder", "path"},
        .partition = std::nullopt,
    };
}

table::definition contents_definition() {
    return {
        .name = std::string(config_contents_table),
        .columns =
            {column{.name = "digest", .type = column_type::bytes},
             column{.name = "content", .type = column_type::bytes}},
        .key = {"digest"},
        .partition = std::nullopt,
    };
}

// Written with replace_if_grows{"version"}, so that of whoever forgets a content and whoever is
// about to use it, one learns of the other. One that was forgotten stays without its content.
table::definition blobs_definition() {
    return {
        .name = std::string(config_blobs_table),
        .columns =
            {column{.name = "digest", .type = column_type::bytes},
             column{.name = "content", .type = column_type::bytes},
             column{.name = "version", .type = column_type::integer},
             column{.name = "kept", .type = column_type::integer},   // 1, or 0: forgotten
             column{.name = "used", .type = column_type::integer}},  // seconds since 1970
        .key = {"digest"},
        .partition = std::nullopt,
    };
}

}  // namespace

std::vector<table::step> configuration_tables() {
    return {
        table::create_table{records_definition()},
        table::create_table{files_definition()},
        table::create_table{contents_definition()}};
}

// What was there stays there, too: servers of the version before may still run and read it.
std::vector<table::step> contents_that_can_be_forgotten() {
    const std::string moved =
        "INSERT INTO config_blobs (digest, content, version, kept, used) "
        "SELECT digest, content, 1, 1, 0 FROM config_contents";
    return {
        table::create_table{blobs_definition()},
        table::engine_sql{.postgres = moved, .sqlite = moved}};
}

}  // namespace muster::configuration
