#pragma once

#include "core/fleet/system_set.h"
#include "core/rollout/share.h"
#include "services/jobs/job_store.h"

namespace muster::dispatch {

// What the ledger has of a job for these systems.
async<rollout::share> load_share(
    jobs::job_store* records, job_id job, fleet::system_set system_set);

}  // namespace muster::dispatch
