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

}  // namespace

table::schema ledger_schema() {
    return {
        .migrations = {
            {.version = 1,
             .what = "the cluster's identity and the audit trail",
             .steps = {
                 table::create_table{cluster_definition()},
                 table::create_table{audit_definition()}}}}};
}

}  // namespace muster::cluster
