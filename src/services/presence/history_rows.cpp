#include "services/presence/history_rows.h"

#include "core/table/row_reader.h"
#include "services/presence/presence_tables.h"

#include <cstdint>
#include <utility>

namespace muster::presence::history {
namespace {

table::row set_row(const chapter& of, set_kind kind, const fleet::system_set& systems) {
    return {
        of.opened,
        of.node.value(),
        static_cast<std::int64_t>(kind),
        table::blob{systems.serialise()}};
}

table::row change_row(const change& change) {
    return {
        change.at,
        change.node.value(),
        change.step,
        static_cast<std::int64_t>(change.what),
        static_cast<std::int64_t>(change.why),
        table::blob{change.systems.serialise()},
        table::blob{change.ages}};
}

node_number take_node(table::row_reader& in) {
    return node_number(in.take_from("node", 1, UINT32_MAX));
}

// Marks the column as wrong when it holds no set.
fleet::system_set take_set(table::row_reader& in) {
    auto read = fleet::system_set::parse(in.take<table::blob>("systems").content);
    if (!read) in.mark_wrong("systems");
    return read ? *std::move(read) : fleet::system_set();
}

}  // namespace

table::batch encode(const presence_recorder::page& page) {
    const auto& now = page.now;
    table::batch batch;
    batch.writes.push_back(
        {.table = std::string(presence_chapters_table),
         .rows =
             {{now.opened,
               now.node.value(),
               now.start,
               now.until,
               static_cast<std::int64_t>(now.how)}},
         .existing = table::replace_if_grows{.column = "until"}});
    table::write sets{.table = std::string(presence_sets_table), .rows = {}};
    if (page.present) sets.rows.push_back(set_row(now, set_kind::present, *page.present));
    if (page.changed) sets.rows.push_back(set_row(now, set_kind::changed, *page.changed));
    if (!sets.rows.empty()) batch.writes.push_back(std::move(sets));
    table::write changes{.table = std::string(presence_changes_table), .rows = {}};
    for (const auto& change : page.changes) changes.rows.push_back(change_row(change));
    if (!changes.rows.empty()) batch.writes.push_back(std::move(changes));
    return batch;
}

table::batch encode(const mark& noticed, std::string state) {
    table::batch batch;
    batch.writes.push_back(
        {.table = std::string(presence_marks_table),
         .rows = {{noticed.at, noticed.node.value(), std::move(state)}}});
    return batch;
}

result<chapter> decode_chapter(const table::row& cells) {
    table::row_reader in(presence_chapters_table, cells);
    chapter read;
    read.opened = in.take<wall_time>("opened");
    read.node = take_node(in);
    read.start = in.take<std::int64_t>("start");
    read.until = in.take<wall_time>("until");
    read.how = static_cast<ending>(in.take_from("ending", 0, 2));
    CHECK_OK(in.finish());
    return read;
}

result<stored_set> decode_set(const table::row& cells) {
    table::row_reader in(presence_sets_table, cells);
    stored_set read;
    read.opened = in.take<wall_time>("opened");
    read.node = take_node(in);
    read.kind = static_cast<set_kind>(in.take_from("kind", 0, 1));
    read.systems = take_set(in);
    CHECK_OK(in.finish());
    return read;
}

result<change> decode_change(const table::row& cells) {
    table::row_reader in(presence_changes_table, cells);
    change read;
    read.at = in.take<wall_time>("at");
    read.node = take_node(in);
    read.step = in.take<std::int64_t>("step");
    read.what = static_cast<turn>(in.take_from("kind", 0, 1));
    read.why = static_cast<session::reason>(in.take_from("reason", 0, UINT8_MAX));
    read.systems = take_set(in);
    read.ages = in.take<table::blob>("ages").content;
    CHECK_OK(in.finish());
    return read;
}

result<mark> decode_mark(const table::row& cells) {
    table::row_reader in(presence_marks_table, cells);
    mark read;
    read.at = in.take<wall_time>("at");
    read.node = take_node(in);
    static_cast<void>(in.take<std::string>("state"));
    CHECK_OK(in.finish());
    return read;
}

}  // namespace muster::presence::history
