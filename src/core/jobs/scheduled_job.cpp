#include "core/jobs/scheduled_job.h"

#include "base/iso_time.h"
#include "core/jobs/job_rules.h"

#include <utility>

namespace muster::jobs {

run_idempotency idempotency_of(const scheduled_run& run) {
    const auto planned = std::to_string(run.planned.time_since_epoch().count());
    return {.key = "schedule " + run.schedule + " " + planned, .digest = planned};
}

job_spec spec_of(const scheduled_run& run, scheduled_work work) {
    using enum job_spec::window_rule;
    job_spec spec{
        .function = std::move(work.function),
        .arguments = std::move(work.arguments),
        .query = run.query,
        .actor = "schedule " + run.schedule,
        .note = "planned for " + iso_time(run.planned)};
    spec.timeout = work.timeout;
    spec.rollout = run.rollout;
    spec.windows = run.maintenance_only ? respect : ignore;
    return spec;
}

std::optional<std::string> skip_reason(std::uint64_t targets, std::uint64_t left_out) {
    if (targets > 0 || left_out == 0) return std::nullopt;
    return "no target system is in its maintenance window";
}

result<void> check_deployed_systems(std::uint64_t systems, std::size_t systems_max) {
    if (systems <= systems_max) return {};
    return fail(
        errc::invalid,
        "limit of " + std::to_string(systems_max)
            + " systems per deployment exceeded: query matches " + std::to_string(systems)
            + "; narrow the query");
}

result<void> check_deployment_jobs(std::size_t jobs) {
    if (jobs <= job_limits::jobs_per_request_max) return {};
    return fail(
        errc::invalid,
        "limit of " + std::to_string(job_limits::jobs_per_request_max)
            + " jobs per deployment exceeded: the systems get different files; narrow the query");
}

}  // namespace muster::jobs
