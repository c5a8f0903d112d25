#pragma once

#include "core/model/job.h"
#include "core/table/batch.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// Tasks and payloads as the ledger keeps them.
namespace muster::jobs {

struct stored_task {
    task_record record;
    std::int64_t sequence = 0;
};

table::row encode_task(const task_record& task);
// errc::corrupt with the column's name.
result<stored_task> decode_task(const table::row& cells);

// What a task returned.
struct payload {
    std::string digest;  // SHA-256 of the bytes before compression
    std::int64_t size = 0;
    std::string content;                    // one zstd frame
    std::optional<std::string> plain = {};  // the bytes themselves; then `content` is empty
};
// Up to this size payloads are kept as they are: where the ledger is PostgreSQL its own readers see
// them (docs/salt_consumers.md), and the engine compresses what is worth it.
inline constexpr std::int64_t plain_payload_bytes_max = std::int64_t{64} * 1024;
// Payloads are kept with the tasks of their job's span of time.
wall_time payload_span(job_id job);
// The payload and its entry among the digests.
std::vector<table::write> writes_of(job_id job, const payload& payload);
result<payload> decode_payload(const table::row& cells);

}  // namespace muster::jobs
