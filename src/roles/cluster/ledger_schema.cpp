#include "roles/cluster/ledger_schema.h"

#include "roles/cluster/action_tables.h"
#include "roles/cluster/config_tables.h"
#include "roles/cluster/content_tables.h"
#include "roles/cluster/presence_tables.h"
#include "roles/cluster/revision_tables.h"
#include "roles/cluster/salt_views.h"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

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

// Written with replace_if_grows{"version"}, as systems are.
table::definition jobs_definition() {
    return {
        .name = std::string(jobs_table),
        .columns =
            {column{.name = "job", .type = column_type::time},
             column{.name = "spec", .type = column_type::text},  // a JSON object
             column{.name = "stage", .type = column_type::text},
             column{.name = "phase", .type = column_type::text},
             column{.name = "kill_running", .type = column_type::boolean},
             column{.name = "reason", .type = column_type::text},
             column{.name = "targets", .type = column_type::integer},  // how many
             // How many tasks stand where; a JSON object, written when the job ends.
             column{.name = "counts", .type = column_type::text, .needed = presence::optional},
             column{.name = "version", .type = column_type::integer},
             column{.name = "changed", .type = column_type::time}},
        .key = {"job"},
        .partition = std::nullopt,
        .sequenced = table::sequencing::by_commit,
    };
}

table::definition job_targets_definition() {
    return {
        .name = std::string(job_targets_table),
        .columns =
            {column{.name = "job", .type = column_type::time},
             column{.name = "targets", .type = column_type::bytes},
             column{.name = "canaries", .type = column_type::bytes}},
        .key = {"job"},
        .partition = table::partitioning{.column = "job", .span = tasks_span},
    };
}

// Written with replace_if_grows{"rank"}: the states of a task only move forward.
table::definition tasks_definition() {
    return {
        .name = std::string(tasks_table),
        .columns =
            {column{.name = "job", .type = column_type::time},
             column{.name = "system", .type = column_type::integer},
             column{.name = "rank", .type = column_type::integer},
             column{.name = "attempt", .type = column_type::integer},
             column{.name = "state", .type = column_type::text},
             column{.name = "picked_up", .type = column_type::time, .needed = presence::optional},
             column{.name = "ended", .type = column_type::time, .needed = presence::optional},
             column{.name = "exit_code", .type = column_type::integer},
             column{.name = "reason", .type = column_type::text},
             column{.name = "digest", .type = column_type::bytes},
             column{.name = "payload_size", .type = column_type::integer},
             column{.name = "truncated", .type = column_type::boolean},
             column{.name = "inline_payload", .type = column_type::bytes},
             column{.name = "node", .type = column_type::text},
             column{.name = "epoch", .type = column_type::integer}},
        .key = {"job", "system"},
        .partition = table::partitioning{.column = "job", .span = tasks_span},
        .sequenced = table::sequencing::by_commit,
    };
}

table::definition payloads_definition() {
    return {
        .name = std::string(payloads_table),
        .columns =
            {column{.name = "span", .type = column_type::time},  // where the jobs' partition begins
             column{.name = "digest", .type = column_type::bytes},
             column{.name = "size", .type = column_type::integer},    // before compression
             column{.name = "content", .type = column_type::bytes}},  // one zstd frame
        .key = {"span", "digest"},
        .partition = table::partitioning{.column = "span", .span = tasks_span},
    };
}

table::definition payload_digests_definition() {
    return {
        .name = std::string(payload_digests_table),
        .columns =
            {column{.name = "span", .type = column_type::time},
             column{.name = "digest", .type = column_type::bytes}},
        .key = {"span", "digest"},
        .partition = table::partitioning{.column = "span", .span = tasks_span},
    };
}

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

// Written with replace_if_grows{"version"}. A row without a definition was removed.
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

// Written with keep_existing: whoever tells the same event again, on whatever server, tells
// nothing.
table::definition events_definition() {
    return {
        .name = std::string(events_table),
        .columns =
            {column{.name = "anchor", .type = column_type::time},  // all who tell it agree on it
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
        .partition = table::partitioning{.column = "anchor", .span = tasks_span},
        .sequenced = table::sequencing::by_commit,
    };
}

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

// A view can show only what the engine can read: what is small enough is kept as it is.
std::vector<table::step> readable_returns() {
    std::vector<table::step> steps{table::add_column{
        .table = std::string(payloads_table),
        .added = {.name = "plain", .type = column_type::bytes, .needed = presence::optional}}};
    for (auto& each : salt_views()) steps.push_back(std::move(each));
    return steps;
}

// For "who did what to this system", without looking through everything.
std::vector<table::step> deeds_to_one_system() {
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

// For "what happened to it". Alone, and last: of a large cluster's events it takes long.
std::vector<table::step> events_of_one_system() {
    return {table::create_index{
        .name = "events_by_system",
        .table = std::string(events_table),
        .columns = {"system", "at"}}};
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
             .steps =
                 {table::create_table{systems_definition()},
                  table::create_table{facts_definition()},
                  // For the purge of what the pool let go of long ago.
                  table::create_index{
                      .name = "systems_by_stage",
                      .table = std::string(systems_table),
                      .columns = {"stage", "changed"}}}},
            {.version = 3,
             .what = "jobs, their tasks and what these returned",
             .steps =
                 {table::create_table{jobs_definition()},
                  table::create_table{job_targets_definition()},
                  table::create_table{tasks_definition()},
                  table::create_table{payloads_definition()},
                  table::create_table{payload_digests_definition()},
                  table::create_index{
                      .name = "jobs_by_stage",
                      .table = std::string(jobs_table),
                      .columns = {"stage", "job"}},
                  // For "what happened on this system".
                  table::create_index{
                      .name = "tasks_by_system",
                      .table = std::string(tasks_table),
                      .columns = {"system", "job"}}}},
            {.version = 4,
             .what = "maintenance windows and recurring schedules",
             .steps = {table::create_table{window_records_definition()}}},
            {.version = 5,
             .what = "saved groups",
             .steps = {table::create_table{saved_groups_definition()}}},
            {.version = 6,
             .what = "events",
             .steps =
                 {table::create_table{events_definition()},
                  table::create_index{
                      .name = "events_by_job",
                      .table = std::string(events_table),
                      .columns = {"job", "at"}}}},
            {.version = 7,
             .what =
                 "small payloads as they are, and jobs and returns as readers of Salt know them",
             .steps = readable_returns()},
            {.version = 8,
             .what = "new jobs and returns in one order for readers of Salt's events",
             .steps = salt_events_in_one_order()},
            {.version = 9,
             .what = "which parts of the record were archived",
             .steps = {table::create_table{archives_definition()}}},
            {.version = 10,
             .what = "configuration channels, and what people write down about systems",
             .steps = config_tables()},
            {.version = 11,
             .what = "numbers for clients of the compatible API, and their chains of actions",
             .steps = action_tables()},
            {.version = 12,
             .what = "published revisions of common data",
             .steps = revision_tables()},
            {.version = 13,
             .what = "software channels, packages, errata, and what is installed on systems",
             .steps = content_tables()},
            {.version = 14, .what = "what was done to one system", .steps = deeds_to_one_system()},
            {.version = 15,
             .what = "who was attached where, over time",
             .steps = presence_tables()},
            {.version = 16,
             .what = "contents of configuration files that can be forgotten",
             .steps = contents_that_can_be_forgotten()},
            {.version = 17,
             .what = "what happened to one system",
             .steps = events_of_one_system()}}};
}

}  // namespace muster::cluster
