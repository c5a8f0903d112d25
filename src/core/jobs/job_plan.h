#pragma once

#include "base/prng.h"
#include "base/result.h"
#include "core/fleet/system_set.h"
#include "core/jobs/job_rules.h"
#include "core/model/job.h"
#include "core/rollout/plan.h"

#include <cstdint>
#include <optional>

namespace muster::jobs {

// The systems of a job; fixed when the job is created.
struct job_targets {
    fleet::system_set systems;
    fleet::system_set canaries;  // systems that go first
};

// A job that is not recorded yet.
struct job_with_targets {
    job_record record;
    job_targets targets;
};

// A job as it would be created now.
struct job_plan {
    job_spec spec;  // with the default batch
    job_phase phase = job_phase::all;
    job_targets targets = {};
    std::uint64_t attached_count = 0;
    std::optional<std::uint64_t> concurrency = std::nullopt;  // maximum of tasks in flight
    bool changes_system = true;
};

// All members are set by designated initializers, so no constructor is needed.
struct plan_request {  // NOLINT(cppcoreguidelines-pro-type-member-init)
    const job_spec& spec;
    checked_work work;
    const fleet::system_set& targets;
    const fleet::system_set& attached;  // of the targets
    rollout::default_batch_rule default_batch = {};
    prng random;  // chooses the canaries
};
// Requires that check_targets() accepted the targets.
job_plan plan_job(plan_request request);

// The job to record, without its id.
job_with_targets to_job(job_plan plan);

}  // namespace muster::jobs
