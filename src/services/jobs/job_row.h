#pragma once

#include "core/jobs/job_plan.h"
#include "core/jobs/task_counts.h"
#include "core/model/job.h"
#include "core/table/batch.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Jobs as the ledger keeps them.
namespace muster::jobs {

struct stored_job {
    job_record record;
    std::optional<task_counts> counts;  // none until the job has ended, or if nobody can read them
    std::int64_t sequence = 0;
};

table::row encode_job(const job_record& record, const std::optional<task_counts>& counts);
// errc::corrupt with the column's name.
result<stored_job> decode_job(const table::row& cells);

// What was asked for, as a JSON object: in the record, and in what the API shows.
std::string encode_spec(const job_spec& spec);
result<job_spec> decode_spec(std::string_view text);

table::row encode_audience(job_id job, const job_targets& job_targets);
result<job_targets> decode_audience(const table::row& cells);

}  // namespace muster::jobs
