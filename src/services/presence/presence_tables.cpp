#include "services/presence/presence_tables.h"

#include <string>

namespace muster::presence {
namespace {

using table::column;
using table::column_type;

// Written with replace_if_grows{"until"}.
table::definition chapters_definition() {
    return {
        .name = std::string(presence_chapters_table),
        .columns =
            {column{.name = "opened", .type = column_type::time},
             column{.name = "node", .type = column_type::integer},
             column{.name = "start", .type = column_type::integer},
             column{.name = "until", .type = column_type::time},
             column{.name = "ending", .type = column_type::integer}},
        .key = {"opened", "node"},
        .partition = table::partitioning{.column = "opened", .span = presence_span},
    };
}

table::definition sets_definition() {
    return {
        .name = std::string(presence_sets_table),
        .columns =
            {column{.name = "opened", .type = column_type::time},
             column{.name = "node", .type = column_type::integer},
             column{.name = "kind", .type = column_type::integer},
             column{.name = "systems", .type = column_type::bytes}},
        .key = {"opened", "node", "kind"},
        .partition = table::partitioning{.column = "opened", .span = presence_span},
    };
}

table::definition changes_definition() {
    return {
        .name = std::string(presence_changes_table),
        .columns =
            {column{.name = "at", .type = column_type::time},
             column{.name = "node", .type = column_type::integer},
             column{.name = "step", .type = column_type::integer},
             column{.name = "kind", .type = column_type::integer},
             column{.name = "reason", .type = column_type::integer},
             column{.name = "systems", .type = column_type::bytes},
             column{.name = "ages", .type = column_type::bytes}},
        .key = {"at", "node", "step", "kind", "reason"},
        .partition = table::partitioning{.column = "at", .span = presence_span},
    };
}

table::definition marks_definition() {
    return {
        .name = std::string(presence_marks_table),
        .columns =
            {column{.name = "at", .type = column_type::time},
             column{.name = "node", .type = column_type::integer},
             column{.name = "state", .type = column_type::text}},  // for people
        .key = {"at", "node"},
        .partition = table::partitioning{.column = "at", .span = presence_span},
    };
}

}  // namespace

std::vector<table::step> presence_tables() {
    return {
        table::create_table{chapters_definition()},
        table::create_table{sets_definition()},
        table::create_table{changes_definition()},
        table::create_table{marks_definition()},
        table::create_index{
            .name = "presence_sets_by_kind",
            .table = std::string(presence_sets_table),
            .columns = {"kind", "opened"}},
        table::create_index{
            .name = "presence_changes_by_node",
            .table = std::string(presence_changes_table),
            .columns = {"node", "at"}}};
}

}  // namespace muster::presence
