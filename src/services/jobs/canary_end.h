#pragma once

#include "services/jobs/job_store.h"

#include <optional>

namespace muster::jobs {

// Reads when the last canary of a job completed. Empty while any canary has not completed.
async<std::optional<wall_time>> read_canaries_end(
    job_store& jobs, job_id job, fleet::system_set canaries);

}  // namespace muster::jobs
