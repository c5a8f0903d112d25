#pragma once

#include "core/jobs/job_plan.h"
#include "core/jobs/task_counts.h"
#include "core/model/job.h"
#include "core/table/batch.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Converts jobs to and from ledger rows.
namespace muster::jobs {

struct stored_job {
    job_record record;
    std::optional<task_counts> counts;  // empty until the job has ended, or if unreadable
    std::int64_t sequence = 0;
};

table::row encode_job(const job_record& record, const std::optional<task_counts>& counts);
// errc::corrupt with the column's name.
result<stored_job> decode_job(const table::row& row);

// The spec as a JSON object, for the ledger and the API.
std::string encode_spec(const job_spec& spec);
result<job_spec> decode_spec(std::string_view text);

table::row encode_targets(job_id job, const job_targets& targets);
result<job_targets> decode_targets(const table::row& row);

}  // namespace muster::jobs
