#pragma once

#include "core/model/job.h"
#include "core/table/batch.h"

#include <cstdint>
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

// What a task returned, compressed.
struct payload {
    std::string digest;  // SHA-256 of the bytes before compression
    std::int64_t size = 0;
    std::string content;  // one zstd frame
};
// Payloads are kept with the tasks of their job's span of time.
wall_time payload_span(job_id job);
// The payload and its entry among the digests.
std::vector<table::write> writes_of(job_id job, const payload& what);
result<payload> decode_payload(const table::row& cells);

}  // namespace muster::jobs
