#pragma once

#include "core/fleet/system_set.h"
#include "core/rollout/share.h"
#include "services/jobs/job_store.h"

namespace muster::dispatch {

// Loads the tasks of a job on these systems from the ledger.
async<rollout::share> load_share(jobs::job_store* jobs, job_id job, fleet::system_set systems);

}  // namespace muster::dispatch
