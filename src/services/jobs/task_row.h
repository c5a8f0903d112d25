#pragma once

#include "core/model/job.h"
#include "core/table/batch.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// Converts tasks and payloads to and from ledger rows.
namespace muster::jobs {

struct stored_task {
    task_record record;
    std::int64_t sequence = 0;
};

table::row encode_task(const task_record& task);
// errc::corrupt with the column's name.
result<stored_task> decode_task(const table::row& row);

// Output of a task.
struct payload {
    std::string digest;  // SHA-256 of the bytes before compression
    std::int64_t size = 0;
    std::string content;                    // one zstd frame
    std::optional<std::string> plain = {};  // uncompressed; `content` is empty then
};
// Payloads up to this size are stored uncompressed, so that the Salt views of PostgreSQL can show
// them (docs/internals/salt_consumers.md). The engine compresses them itself.
inline constexpr std::int64_t plain_payload_bytes_max = std::int64_t{64} * 1024;
// Start of the partition that holds the payloads of the job.
wall_time payload_span(job_id job);
// Writes of the payload and of its digest.
std::vector<table::write> payload_writes(job_id job, const payload& payload);
result<payload> decode_payload(const table::row& row);

}  // namespace muster::jobs
