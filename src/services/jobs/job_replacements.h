#pragma once

#include "services/jobs/job_store.h"

#include <cstddef>
#include <vector>

// Reads replaced jobs and their replacements from the ledger (core/jobs/job_replacement.h).
namespace muster::jobs {

// Reads these jobs, and for a replaced job its newest replacements instead. errc::conflict when
// there are more than lineage_max.
inline constexpr std::size_t lineage_max = 1'000;
async<std::vector<job_record>> find_successors(job_store& jobs, std::vector<job_id> job_ids);

// Whether the ledger has all siblings of a replacement job.
async<bool> has_all_siblings(job_store& jobs, job_spec spec);

}  // namespace muster::jobs
