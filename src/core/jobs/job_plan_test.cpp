#include "core/jobs/job_plan.h"

#include <doctest/doctest.h>

namespace muster::jobs {
namespace {

using fleet::system_set;

const system_set seventy = system_set::range(system_number(1), system_number(70));
const system_set attached = system_set::range(system_number(1), system_number(50));

job_plan planned(
    const rollout_options& options,
    std::vector<job_id> parents = {},
    rollout::default_batch_rule safe = {}) {
    job_spec spec{.function = "test.ping", .arguments = "{}"};
    spec.rollout = options;
    spec.parents = std::move(parents);
    const auto work = check_spec(spec, api::value::record()).value();
    return plan_job(
        {.spec = spec,
         .work = work,
         .targets = seventy,
         .attached = attached,
         .default_batch = safe,
         .random = prng(7)});
}

TEST_CASE("a job without canaries and parents is for everybody at once") {
    const auto plan = planned({});
    CHECK(plan.phase == job_phase::all);
    CHECK(plan.targets.systems == seventy);
    CHECK(plan.targets.canaries.empty());
    CHECK(plan.attached_count == 50);
    CHECK_FALSE(plan.concurrency.has_value());
    CHECK_FALSE(plan.changes_system);
}

TEST_CASE("canaries are of those that are there, go first, and are the same for the same seed") {
    const rollout_options five{.canary = parse_amount("5").value()};
    const auto plan = planned(five);
    CHECK(plan.phase == job_phase::canaries);
    CHECK(plan.targets.canaries.size() == 5);
    CHECK(plan.targets.canaries.subset_of(attached));
    CHECK(planned(five).targets.canaries == plan.targets.canaries);
}

TEST_CASE("a job with a parent starts with nobody, with canaries too") {
    CHECK(planned({.canary = parse_amount("5").value()}, {job_id(3)}).phase == job_phase::none);
    CHECK(planned({}, {job_id(3)}).phase == job_phase::none);
}

TEST_CASE("many targets without a batch get the safe one, and a batch that was asked for stays") {
    CHECK(planned({}, {}, {.targets_min = 70, .batch = 8}).concurrency == 8);
    CHECK_FALSE(planned({}, {}, {.targets_min = 71, .batch = 8}).concurrency.has_value());
    CHECK(
        planned({.batch = parse_amount("9").value()}, {}, {.targets_min = 2, .batch = 8})
            .concurrency
        == 9);
}

TEST_CASE("a plan goes on record with its phase and the number of its targets") {
    const auto job = to_job(planned({.canary = parse_amount("5").value()}, {}, {70, 8}));
    CHECK(job.record.phase == job_phase::canaries);
    CHECK(job.record.targets == 70);
    CHECK(job.record.stage == job_stage::open);
    CHECK(job.record.spec.rollout.batch == parse_amount("8").value());
    CHECK(job.targets.canaries.size() == 5);
}

}  // namespace
}  // namespace muster::jobs
