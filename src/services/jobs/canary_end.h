#pragma once

#include "services/jobs/job_store.h"

#include <optional>

namespace muster::jobs {

// When the last of a job's canaries completed, by their rows; nothing while one of them has not.
async<std::optional<wall_time>> canaries_ended(
    job_store& records, job_id job, fleet::system_set canaries);

}  // namespace muster::jobs
