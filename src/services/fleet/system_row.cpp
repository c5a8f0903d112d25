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

std::vector<std::string> read_words(row_reader& reader, std::string_view column) {
    return lifecycle::split_labels(reader.take<std::string>(column));
}

system_number read_number(row_reader& reader, std::string_view column) {
    return system_number(reader.take_from(column, 0, std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace

fingerprint read_fingerprint(table::row_reader& reader) {
    const auto raw = reader.take<table::blob>("fingerprint").content;
    fingerprint::bytes_type bytes{};
    if (raw.size() == bytes.size()) {
        std::ranges::transform(
            raw, bytes.begin(), [](char byte) { return static_cast<unsigned char>(byte); });
    } else {
        reader.mark_faulty("fingerprint");
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
        lifecycle::join_labels(record.tags),
        lifecycle::join_labels(record.groups),
        record.origin,
        record.enrolled,
        table::optional_cell(record.accepted),
        record.accepted_by,
        record.replaces.value(),
        record.unregistered,
        record.version,
        changed};
}

result<stored_system> decode_system(const table::row& row) {
    row_reader reader(systems_table, row);
    system_record record{.print = read_fingerprint(reader)};
    record.public_key = reader.take<table::blob>("public_key").content;
    record.name = reader.take<std::string>("name");
    record.machine_id = reader.take<std::string>("machine_id");
    const auto stage = parse_enrolment(reader.take<std::string>("stage"));
    if (!stage) reader.mark_faulty("stage");
    record.stage = stage.value_or(enrolment::evicted);
    record.number = read_number(reader, "number");
    record.zone = reader.take<std::string>("zone");
    record.tags = read_words(reader, "tags");
    record.groups = read_words(reader, "groups");
    record.origin = reader.take<std::string>("origin");
    record.enrolled = reader.take<wall_time>("enrolled");
    record.accepted = reader.take_optional<wall_time>("accepted");
    record.accepted_by = reader.take<std::string>("accepted_by");
    record.replaces = read_number(reader, "replaces");
    record.unregistered = read_number(reader, "unregistered").value();
    record.version = reader.take<std::int64_t>("version");
    if (record.version < 1) reader.mark_faulty("version");
    const auto changed = reader.take<wall_time>("changed");
    const auto sequence = reader.take_sequence();
    CHECK_OK(reader.finish());
    return stored_system{.record = std::move(record), .changed = changed, .sequence = sequence};
}

}  // namespace muster::fleet
