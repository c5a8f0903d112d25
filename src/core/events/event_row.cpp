#include "core/events/event_row.h"

#include "core/table/row_reader.h"

#include <utility>

namespace muster::events {
namespace {

table::value job_cell(const std::optional<job_id>& job) {
    if (!job) return table::null();
    return created_at(*job);
}

}  // namespace

table::row encode_event(const event_record& event) {
    return {
        event.anchor,
        event.id,
        event.kind,
        event.at,
        event.zone,
        job_cell(event.job),
        table::optional_cell(event.system),
        event.node,
        event.actor,
        event.data};
}

result<stored_event> decode_event(const table::row& cells) {
    table::row_reader in("events", cells);
    event_record read;
    read.anchor = in.take<wall_time>("anchor");
    read.id = in.take<std::string>("id");
    read.kind = in.take<std::string>("kind");
    read.at = in.take<wall_time>("at");
    read.zone = in.take<std::string>("zone");
    if (const auto job = in.take_optional<wall_time>("job")) read.job = job_id_at(*job);
    read.system = in.take_optional<std::int64_t>("system");
    read.node = in.take<std::string>("node");
    read.actor = in.take<std::string>("actor");
    read.data = in.take<std::string>("data");
    const auto sequence = in.take_sequence();
    CHECK_OK(in.finish());
    return stored_event{.record = std::move(read), .sequence = sequence};
}

}  // namespace muster::events
