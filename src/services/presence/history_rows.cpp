#include "services/presence/history_rows.h"

#include "core/table/row_reader.h"
#include "services/presence/presence_tables.h"

#include <cstdint>
#include <utility>

namespace muster::presence::history {
namespace {

table::row set_row(const report_period& period, set_kind kind, const fleet::system_set& systems) {
    return {
        period.opened,
        period.node.value(),
        static_cast<std::int64_t>(kind),
        table::blob{systems.serialise()}};
}

table::row change_row(const change& change) {
    return {
        change.at,
        change.node.value(),
        change.step,
        static_cast<std::int64_t>(change.kind),
        static_cast<std::int64_t>(change.why),
        table::blob{change.systems.serialise()},
        table::blob{change.ages}};
}

node_number read_node(table::row_reader& reader) {
    return node_number(reader.take_from("node", 1, UINT32_MAX));
}

// Marks the column as wrong when it is not a set.
fleet::system_set read_set(table::row_reader& reader) {
    auto set = fleet::system_set::parse(reader.take<table::blob>("systems").content);
    if (!set) reader.mark_faulty("systems");
    return set ? *std::move(set) : fleet::system_set();
}

}  // namespace

table::batch encode(const presence_recorder::interval_record& interval) {
    const auto& period = interval.period;
    table::batch batch;
    batch.writes.push_back(
        {.table = std::string(presence_chapters_table),
         .rows =
             {{period.opened,
               period.node.value(),
               period.start,
               period.until,
               static_cast<std::int64_t>(period.end)}},
         .existing = table::replace_if_grows{.column = "until"}});
    table::write sets{.table = std::string(presence_sets_table), .rows = {}};
    if (interval.present)
        sets.rows.push_back(set_row(period, set_kind::present, *interval.present));
    if (interval.changed)
        sets.rows.push_back(set_row(period, set_kind::changed, *interval.changed));
    if (!sets.rows.empty()) batch.writes.push_back(std::move(sets));
    table::write changes{.table = std::string(presence_changes_table), .rows = {}};
    for (const auto& change : interval.changes) changes.rows.push_back(change_row(change));
    if (!changes.rows.empty()) batch.writes.push_back(std::move(changes));
    return batch;
}

table::batch encode(const missing_mark& mark, std::string state) {
    table::batch batch;
    batch.writes.push_back(
        {.table = std::string(presence_marks_table),
         .rows = {{mark.at, mark.node.value(), std::move(state)}}});
    return batch;
}

result<report_period> decode_period(const table::row& row) {
    table::row_reader reader(presence_chapters_table, row);
    report_period period;
    period.opened = reader.take<wall_time>("opened");
    period.node = read_node(reader);
    period.start = reader.take<std::int64_t>("start");
    period.until = reader.take<wall_time>("until");
    period.end = static_cast<period_end>(reader.take_from("ending", 0, 2));
    CHECK_OK(reader.finish());
    return period;
}

result<stored_set> decode_set(const table::row& row) {
    table::row_reader reader(presence_sets_table, row);
    stored_set set;
    set.opened = reader.take<wall_time>("opened");
    set.node = read_node(reader);
    set.kind = static_cast<set_kind>(reader.take_from("kind", 0, 1));
    set.systems = read_set(reader);
    CHECK_OK(reader.finish());
    return set;
}

result<change> decode_change(const table::row& row) {
    table::row_reader reader(presence_changes_table, row);
    change decoded;
    decoded.at = reader.take<wall_time>("at");
    decoded.node = read_node(reader);
    decoded.step = reader.take<std::int64_t>("step");
    decoded.kind = static_cast<change_kind>(reader.take_from("kind", 0, 1));
    decoded.why = static_cast<session::reason>(reader.take_from("reason", 0, UINT8_MAX));
    decoded.systems = read_set(reader);
    decoded.ages = reader.take<table::blob>("ages").content;
    CHECK_OK(reader.finish());
    return decoded;
}

result<missing_mark> decode_mark(const table::row& row) {
    table::row_reader reader(presence_marks_table, row);
    missing_mark mark;
    mark.at = reader.take<wall_time>("at");
    mark.node = read_node(reader);
    static_cast<void>(reader.take<std::string>("state"));
    CHECK_OK(reader.finish());
    return mark;
}

}  // namespace muster::presence::history
