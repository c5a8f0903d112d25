#include "services/events/event_tables.h"

#include "core/events/event_row.h"
#include "services/jobs/job_tables.h"

#include <optional>
#include <string>

namespace muster::events {
namespace {

using table::column;
using table::column_type;
using table::presence;

// Written with keep_existing: a repeated write of the same event has no effect.
table::definition events_definition() {
    return {
        .name = std::string(events_table),
        .columns =
            {column{.name = "anchor", .type = column_type::time},  // the same on every server
             column{.name = "id", .type = column_type::text},
             column{.name = "kind", .type = column_type::text},
             column{.name = "at", .type = column_type::time},
             column{.name = "zone", .type = column_type::text},
             column{.name = "job", .type = column_type::time, .needed = presence::optional},
             column{.name = "system", .type = column_type::integer, .needed = presence::optional},
             column{.name = "node", .type = column_type::text},
             column{.name = "actor", .type = column_type::text},
             column{.name = "data", .type = column_type::text}},  // a JSON object
        .key = {"anchor", "id"},
        .partition = table::partitioning{.column = "anchor", .span = jobs::tasks_span},
        .sequenced = table::sequencing::by_commit,
    };
}

}  // namespace

std::vector<table::step> event_tables() {
    return {
        table::create_table{events_definition()},
        table::create_index{
            .name = "events_by_job", .table = std::string(events_table), .columns = {"job", "at"}}};
}

// For the events of a system. A migration of its own, because it takes long on large tables.
std::vector<table::step> events_by_system() {
    return {table::create_index{
        .name = "events_by_system",
        .table = std::string(events_table),
        .columns = {"system", "at"}}};
}

}  // namespace muster::events
