#include "core/jobs/scheduled_job.h"

#include "core/jobs/job_rules.h"

#include <doctest/doctest.h>

namespace muster::jobs {
namespace {

using namespace std::chrono_literals;

scheduled_run nightly() {
    return {
        .schedule = "nightly",
        .planned = wall_time(1'700'000'000s),
        .query = "web*",
        .rollout = {.retries = 3},
        .maintenance_only = true};
}

TEST_CASE("the same run has the same claim, and no other run has it") {
    auto run = nightly();
    CHECK(idempotency_of(run) == idempotency_of(nightly()));
    CHECK(idempotency_of(run).key == "schedule nightly 1700000000000000");
    run.planned += 1us;
    CHECK(idempotency_of(run).key != idempotency_of(nightly()).key);
    CHECK(idempotency_of(run).digest != idempotency_of(nightly()).digest);
    run = nightly();
    run.schedule = "daily";
    CHECK(idempotency_of(run).key != idempotency_of(nightly()).key);
}

TEST_CASE("a run becomes a job that names its schedule and spreads as that says") {
    const auto spec = spec_of(nightly(), {.function = "cmd.run", .arguments = "{}", .timeout = 2h});
    CHECK(spec.function == "cmd.run");
    CHECK(spec.arguments == "{}");
    CHECK(spec.query == "web*");
    CHECK(spec.actor == "schedule nightly");
    CHECK(spec.note == "planned for 2023-11-14T22:13:20Z");
    CHECK(spec.timeout == 2h);
    CHECK(spec.rollout.retries == 3);
    CHECK_FALSE(spec.not_before.has_value());
}

TEST_CASE("a run keeps to windows if its schedule does") {
    auto run = nightly();
    CHECK(spec_of(run, {}).windows == job_spec::window_rule::respect);
    run.maintenance_only = false;
    CHECK(spec_of(run, {}).windows == job_spec::window_rule::ignore);
}

TEST_CASE("a run is skipped when all of its systems are outside of their window") {
    CHECK(skip_reason(0, 3) == "no target system is in its maintenance window");
    CHECK_FALSE(skip_reason(1, 3).has_value());
    CHECK_FALSE(skip_reason(0, 0).has_value());
}

TEST_CASE("a deployment for too many systems, or in too many jobs, is refused") {
    CHECK(check_deployed_systems(10, 10).has_value());
    CHECK(
        check_deployed_systems(11, 10).error().detail()
        == "limit of 10 systems per deployment exceeded: query matches 11; narrow the query");
    CHECK(check_deployment_jobs(job_limits::jobs_per_request_max).has_value());
    CHECK(
        check_deployment_jobs(job_limits::jobs_per_request_max + 1).error().code()
        == errc::invalid);
}

}  // namespace
}  // namespace muster::jobs
