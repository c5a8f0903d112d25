#include "services/jobs/task_row.h"

#include "core/table/partition.h"
#include "core/table/row_reader.h"
#include "services/jobs/job_tables.h"
#include "services/jobs/payload_text.h"

#include <cstdlib>
#include <limits>
#include <utility>

namespace muster::jobs {

table::row encode_task(const task_record& task) {
    return {
        created_at(task.job),
        task.system,
        rank_of(task),
        static_cast<std::int64_t>(task.attempt),
        std::string(to_string(task.state)),
        table::optional_cell(task.picked_up),
        table::optional_cell(task.ended),
        static_cast<std::int64_t>(task.exit_code),
        task.reason,
        table::blob{task.digest},
        task.payload_size,
        task.truncated,
        table::blob{task.inline_payload},
        task.node,
        task.epoch};
}

result<stored_task> decode_task(const table::row& row) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    table::row_reader reader(tasks_table, row);
    task_record task;
    task.job = job_id_at(reader.take<wall_time>("job"));
    task.system = reader.take_from("system", 0, std::numeric_limits<std::uint32_t>::max());
    const auto rank = reader.take<std::int64_t>("rank");
    task.attempt = static_cast<std::uint32_t>(
        reader.take_from("attempt", 1, std::numeric_limits<std::uint32_t>::max()));
    const auto state = parse_task_state(reader.take<std::string>("state"));
    if (!state) reader.mark_faulty("state");
    task.state = state.value_or(task_state::failed);
    task.picked_up = reader.take_optional<wall_time>("picked_up");
    task.ended = reader.take_optional<wall_time>("ended");
    task.exit_code = static_cast<std::int32_t>(reader.take_from(
        "exit_code",
        std::numeric_limits<std::int32_t>::min(),
        std::numeric_limits<std::int32_t>::max()));
    task.reason = reader.take<std::string>("reason");
    task.digest = reader.take<table::blob>("digest").content;
    task.payload_size = reader.take_from("payload_size", 0, most);
    task.truncated = reader.take<bool>("truncated");
    task.inline_payload = reader.take<table::blob>("inline_payload").content;
    task.node = reader.take<std::string>("node");
    task.epoch = reader.take<std::int64_t>("epoch");
    const auto sequence = reader.take_sequence();
    // Older servers wrote reported ends with a rank lower by one, and retries with one higher.
    if (std::abs(rank - rank_of(task)) > 1) reader.mark_faulty("rank");
    CHECK_OK(reader.finish());
    return stored_task{.record = std::move(task), .sequence = sequence};
}

wall_time payload_span(job_id job) {
    return table::partition_start({.column = "span", .span = tasks_span}, created_at(job));
}

std::vector<table::write> payload_writes(job_id job, const payload& payload) {
    const auto span = payload_span(job);
    auto content = table::blob{payload.content};
    table::value plain = table::null();
    if (payload.size <= plain_payload_bytes_max) {
        if (auto text = unpack(payload)) {
            content.content.clear();
            plain = table::blob{*std::move(text)};
        }
    }
    return {
        {.table = std::string(payloads_table),
         .rows = {{span, table::blob{payload.digest}, payload.size, std::move(content), plain}}},
        {.table = std::string(payload_digests_table),
         .rows = {{span, table::blob{payload.digest}}}}};
}

result<payload> decode_payload(const table::row& row) {
    table::row_reader reader(payloads_table, row);
    payload decoded;
    static_cast<void>(reader.take<wall_time>("span"));
    decoded.digest = reader.take<table::blob>("digest").content;
    decoded.size = reader.take_from("size", 0, std::numeric_limits<std::int64_t>::max());
    decoded.content = reader.take<table::blob>("content").content;
    if (auto plain = reader.take_optional<table::blob>("plain"))
        decoded.plain = std::move(plain->content);
    CHECK_OK(reader.finish());
    return decoded;
}

}  // namespace muster::jobs
