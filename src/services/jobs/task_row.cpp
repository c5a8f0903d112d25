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
        made_at(task.job),
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

result<stored_task> decode_task(const table::row& cells) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    table::row_reader in(tasks_table, cells);
    task_record task;
    task.job = job_made_at(in.take<wall_time>("job"));
    task.system = in.take_from("system", 0, std::numeric_limits<std::uint32_t>::max());
    const auto rank = in.take<std::int64_t>("rank");
    task.attempt = static_cast<std::uint32_t>(
        in.take_from("attempt", 1, std::numeric_limits<std::uint32_t>::max()));
    const auto state = parse_task_state(in.take<std::string>("state"));
    if (!state) in.mark_wrong("state");
    task.state = state.value_or(task_state::failed);
    task.picked_up = in.take_optional<wall_time>("picked_up");
    task.ended = in.take_optional<wall_time>("ended");
    task.exit_code = static_cast<std::int32_t>(in.take_from(
        "exit_code",
        std::numeric_limits<std::int32_t>::min(),
        std::numeric_limits<std::int32_t>::max()));
    task.reason = in.take<std::string>("reason");
    task.digest = in.take<table::blob>("digest").content;
    task.payload_size = in.take_from("payload_size", 0, most);
    task.truncated = in.take<bool>("truncated");
    task.inline_payload = in.take<table::blob>("inline_payload").content;
    task.node = in.take<std::string>("node");
    task.epoch = in.take<std::int64_t>("epoch");
    const auto sequence = in.take_sequence();
    // Rows of older servers have told ends one lower, and waits for another attempt one higher.
    if (std::abs(rank - rank_of(task)) > 1) in.mark_wrong("rank");
    CHECK_OK(in.finish());
    return stored_task{.record = std::move(task), .sequence = sequence};
}

wall_time payload_span(job_id job) {
    return table::partition_start({.column = "span", .span = tasks_span}, made_at(job));
}

std::vector<table::write> writes_of(job_id job, const payload& payload) {
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

result<payload> decode_payload(const table::row& cells) {
    table::row_reader in(payloads_table, cells);
    payload read;
    static_cast<void>(in.take<wall_time>("span"));
    read.digest = in.take<table::blob>("digest").content;
    read.size = in.take_from("size", 0, std::numeric_limits<std::int64_t>::max());
    read.content = in.take<table::blob>("content").content;
    if (auto plain = in.take_optional<table::blob>("plain")) read.plain = std::move(plain->content);
    CHECK_OK(in.finish());
    return read;
}

}  // namespace muster::jobs
