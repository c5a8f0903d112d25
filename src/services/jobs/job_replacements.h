#pragma once

#include "services/jobs/job_store.h"

#include <cstddef>
#include <vector>

// Jobs that go on as others, as the ledger has them (core/jobs/job_replacement.h).
namespace muster::jobs {

// The records of these jobs; of one that goes on as others theirs, and so on. errc::conflict when
// there are more than lineage_max.
inline constexpr std::size_t lineage_max = 1'000;
async<std::vector<job_record>> successors(job_store& records, std::vector<job_id> of);

// Whether all that shall take a job's place together with the one that is asked for are on record.
async<bool> all_stand(job_store& records, job_spec job_spec);

}  // namespace muster::jobs
