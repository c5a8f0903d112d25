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

// Who a job is for; frozen when the job is made.
struct job_targets {
    fleet::system_set targets;
    fleet::system_set canaries;  // those that go first
};

// A job that is not on record yet.
struct job_with_targets {
    job_record record;
    job_targets who;
};

// What a job would be if it was made now.
struct job_plan {
    job_spec spec;  // with the safe limit
    job_phase phase = job_phase::everybody;
    job_targets who = {};
    std::uint64_t present = 0;
    std::optional<std::uint64_t> places = std::nullopt;  // tasks in flight at most
    bool changes_system = true;
};

// References are always given: there is nothing that a constructor could leave out.
struct plan_request {  // NOLINT(cppcoreguidelines-pro-type-member-init)
    const job_spec& spec;
    checked_work work;
    const fleet::system_set& targets;
    const fleet::system_set& attached;  // of the targets
    rollout::safe_limit safe = {};
    prng random;  // canaries are drawn by it
};
// The targets keep to their limits (check_targets).
job_plan plan_job(plan_request request);

// As it goes on record, but for its id.
job_with_targets job_of(job_plan plan);

}  // namespace muster::jobs
