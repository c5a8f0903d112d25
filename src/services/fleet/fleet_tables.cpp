#include "services/fleet/fleet_tables.h"

#include <optional>
#include <string>

namespace muster::fleet {
namespace {

using table::column;
using table::column_type;
using table::presence;

// Written with replace_if_grows{"version"}: a writer that read version n writes n + 1, so one of
// two concurrent writers wins.
table::definition systems_definition() {
    return {
        .name = std::string(systems_table),
        .columns =
            {column{.name = "fingerprint", .type = column_type::bytes},
             column{.name = "public_key", .type = column_type::bytes},
             column{.name = "name", .type = column_type::text},
             column{.name = "machine_id", .type = column_type::text},
             column{.name = "stage", .type = column_type::text},
             column{.name = "number", .type = column_type::integer},  // zero: none yet
             column{.name = "zone", .type = column_type::text},
             column{.name = "tags", .type = column_type::text},  // words with spaces between
             column{.name = "groups", .type = column_type::text},
             column{.name = "origin", .type = column_type::text},
             column{.name = "enrolled", .type = column_type::time},
             column{.name = "accepted", .type = column_type::time, .needed = presence::optional},
             column{.name = "accepted_by", .type = column_type::text},
             column{.name = "replaces", .type = column_type::integer},
             column{.name = "unregistered", .type = column_type::integer},
             column{.name = "version", .type = column_type::integer},
             column{.name = "changed", .type = column_type::time}},
        .key = {"fingerprint"},
        .partition = std::nullopt,
        .sequenced = table::sequencing::by_commit,
    };
}

// Keyed by fingerprint, because pooled systems have facts but no number.
table::definition facts_definition() {
    return {
        .name = std::string(facts_table),
        .columns =
            {column{.name = "fingerprint", .type = column_type::bytes},
             column{.name = "document", .type = column_type::text},  // a JSON object
             column{.name = "digest", .type = column_type::bytes},
             column{.name = "changed", .type = column_type::time}},
        .key = {"fingerprint"},
        .partition = std::nullopt,
        .sequenced = table::sequencing::by_commit,
    };
}

// Written with replace_if_grows{"version"}. A row without a definition is a removed group.
table::definition saved_groups_definition() {
    return {
        .name = std::string(saved_groups_table),
        .columns =
            {column{.name = "name", .type = column_type::text},
             column{.name = "definition", .type = column_type::text},
             column{.name = "description", .type = column_type::text},
             column{.name = "version", .type = column_type::integer},
             column{.name = "changed_by", .type = column_type::text},
             column{.name = "changed", .type = column_type::time}},
        .key = {"name"},
        .partition = std::nullopt,
        .sequenced = table::sequencing::by_commit,
    };
}

// Written with replace_if_grows{"version"}.
table::definition profiles_definition() {
    return {
        .name = std::string(system_profiles_table),
        .columns =
            {column{.name = "system", .type = column_type::integer},
             column{.name = "document", .type = column_type::text},  // a JSON object
             column{.name = "version", .type = column_type::integer},
             column{.name = "changed_by", .type = column_type::text},
             column{.name = "changed", .type = column_type::time}},
        .key = {"system"},
        .partition = std::nullopt,
        .sequenced = table::sequencing::by_commit,
    };
}

}  // namespace

std::vector<table::step> system_tables() {
    return {
        table::create_table{systems_definition()},
        table::create_table{facts_definition()},
        // For the pruner of evicted keys.
        table::create_index{
            .name = "systems_by_stage",
            .table = std::string(systems_table),
            .columns = {"stage", "changed"}}};
}

std::vector<table::step> saved_group_tables() {
    return {table::create_table{saved_groups_definition()}};
}

std::vector<table::step> system_profile_tables() {
    return {table::create_table{profiles_definition()}};
}

}  // namespace muster::fleet
