#include "roles/cluster/ledger_schema.h"

#include <chrono>
#include <string>

namespace muster::cluster {
namespace {

using table::column;
using table::column_type;
using table::presence;

table::definition cluster_definition() {
    return {
        .name = std::string(cluster_table),
        .columns =
            {column{.name = "singleton", .type = column_type::integer},  // always 1
             column{.name = "id", .type = column_type::text},
             column{.name = "made", .type = column_type::time}},
        .key = {"singleton"},
        .partition = std::nullopt,
    };
}

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

// Written with replace_if_grows{"version"}: whoever read version n writes n + 1, and of two who do
// so one wins.
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

// By fingerprint and not by number, because systems in the pool have facts too.
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

}  // namespace

table::schema ledger_schema() {
    return {
        .migrations = {
            {.version = 1,
             .what = "the cluster's identity and the audit trail",
             .steps =
                 {table::create_table{cluster_definition()},
                  table::create_table{audit_definition()}}},
            {.version = 2,
             .what = "systems and their facts",
             .steps = {
                 table::create_table{systems_definition()},
                 table::create_table{facts_definition()},
                 // For the purge of what the pool let go of long ago.
                 table::create_index{
                     .name = "systems_by_stage",
                     .table = std::string(systems_table),
                     .columns = {"stage", "changed"}}}}}};
}

}  // namespace muster::cluster
