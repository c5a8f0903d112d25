#include "services/jobs/job_tables.h"

#include <optional>
#include <string>

namespace muster::jobs {
namespace {

using table::column;
using table::column_type;
using table::presence;

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
             // Task counts by state: a JSON object, written when the job ends.
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

}  // namespace

std::vector<table::step> job_tables() {
    return {
        table::create_table{jobs_definition()},
        table::create_table{job_targets_definition()},
        table::create_table{tasks_definition()},
        table::create_table{payloads_definition()},
        table::create_table{payload_digests_definition()},
        table::create_index{
            .name = "jobs_by_stage", .table = std::string(jobs_table), .columns = {"stage", "job"}},
        // For the task history of a system.
        table::create_index{
            .name = "tasks_by_system",
            .table = std::string(tasks_table),
            .columns = {"system", "job"}}};
}

// The Salt views cannot decompress payloads, so small payloads are stored uncompressed.
std::vector<table::step> readable_payloads() {
    return {table::add_column{
        .table = std::string(payloads_table),
        .added = {.name = "plain", .type = column_type::bytes, .needed = presence::optional}}};
}

}  // namespace muster::jobs
