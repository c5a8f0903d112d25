#include "services/fleet/system_row.h"

#include "core/lifecycle/labels.h"
#include "core/table/row_reader.h"
#include "services/fleet/fleet_tables.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace muster::fleet {
namespace {

using table::row_reader;

std::vector<std::string> take_words(row_reader& cells, std::string_view column) {
    return lifecycle::split_words(cells.take<std::string>(column));
}

system_number take_number(row_reader& cells, std::string_view column) {
    return system_number(cells.take_from(column, 0, std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace

fingerprint take_print(table::row_reader& cells) {
    const auto raw = cells.take<table::blob>("fingerprint").content;
    fingerprint::bytes_type bytes{};
    if (raw.size() == bytes.size()) {
        std::ranges::transform(
            raw, bytes.begin(), [](char byte) { return static_cast<unsigned char>(byte); });
    } else {
        cells.mark_wrong("fingerprint");
    }
    return fingerprint(bytes);
}

table::value key_cell(const fingerprint& print) {
    return table::blob{std::string(print.bytes().begin(), print.bytes().end())};
}

table::row encode_system(const system_record& record, wall_time changed) {
    return {
        key_cell(record.print),
        table::blob{record.public_key},
        record.name,
        record.machine_id,
        std::string(to_string(record.stage)),
        record.number.value(),
        record.zone,
        lifecycle::join_words(record.tags),
        lifecycle::join_words(record.groups),
        record.origin,
        record.enrolled,
        table::optional_cell(record.accepted),
        record.accepted_by,
        record.replaces.value(),
        record.unregistered,
        record.version,
        changed};
}

result<stored_system> decode_system(const table::row& cells) {
    row_reader in(systems_table, cells);
    system_record record{.print = take_print(in)};
    record.public_key = in.take<table::blob>("public_key").content;
    record.name = in.take<std::string>("name");
    record.machine_id = in.take<std::string>("machine_id");
    const auto stage = parse_enrolment(in.take<std::string>("stage"));
    if (!stage) in.mark_wrong("stage");
    record.stage = stage.value_or(enrolment::evicted);
    record.number = take_number(in, "number");
    record.zone = in.take<std::string>("zone");
    record.tags = take_words(in, "tags");
    record.groups = take_words(in, "groups");
    record.origin = in.take<std::string>("origin");
    record.enrolled = in.take<wall_time>("enrolled");
    record.accepted = in.take_optional<wall_time>("accepted");
    record.accepted_by = in.take<std::string>("accepted_by");
    record.replaces = take_number(in, "replaces");
    record.unregistered = take_number(in, "unregistered").value();
    record.version = in.take<std::int64_t>("version");
    if (record.version < 1) in.mark_wrong("version");
    const auto changed = in.take<wall_time>("changed");
    const auto sequence = in.take_sequence();
    CHECK_OK(in.finish());
    return stored_system{.record = std::move(record), .changed = changed, .sequence = sequence};
}

}  // namespace muster::fleet
