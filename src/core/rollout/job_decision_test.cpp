#include "core/rollout/job_decision.h"

#include <doctest/doctest.h>

namespace muster::rollout {
namespace {

job_record a_job() {
    job_record job{.job = job_id(1), .targets = 10};
    job.spec.rollout.max_failures = amount{.value = 2};
    return job;
}

TEST_CASE("a job is halted when more tasks failed in the cluster than it bears") {
    const job_totals sums{.queued = 1, .failed = 3, .exact = true};

    const auto message = decide(a_job(), start_all{}, sums, {});

    CHECK(message.kind == job_decision_kind::halt);
    CHECK(message.reason == "3 tasks failed, failure limit is 2");
}

TEST_CASE("nothing is decided while slots move") {
    CHECK(decide(a_job(), start_all{}, {.failed = 3}, {}) == job_decision{});
    CHECK(decide(a_job(), start_all{}, {.completed = 10}, {}) == job_decision{});
}

TEST_CASE("the rest may start when all canaries completed") {
    const canaries_only first{{system_number(1), system_number(2)}};
    const job_totals one_canary{
        .queued = 8, .completed = 1, .canaries_completed = 1, .exact = true};
    const job_totals both_canaries{
        .queued = 8, .completed = 2, .canaries_completed = 2, .exact = true};

    CHECK(decide(a_job(), first, one_canary, {}).kind == job_decision_kind::none);
    CHECK(decide(a_job(), first, both_canaries, {}).kind == job_decision_kind::permit_all);
}

TEST_CASE("the rest waits as long after the last canary as the job says") {
    using namespace std::chrono_literals;
    const canaries_only first{{system_number(1), system_number(2)}};
    auto job = a_job();
    job.spec.rollout.canary_wait = 10min;
    job_totals both_canaries{.queued = 8, .completed = 2, .canaries_completed = 2, .exact = true};

    CHECK(
        decide(job, first, both_canaries, {.now = wall_time(1h)}).kind == job_decision_kind::none);
    both_canaries.canaries_ended = wall_time(1h);

    CHECK(rest_start_time(job.spec, both_canaries.canaries_ended) == wall_time(1h + 10min));
    CHECK(
        decide(job, first, both_canaries, {.now = wall_time(1h + 9min)}).kind
        == job_decision_kind::none);
    CHECK(
        decide(job, first, both_canaries, {.now = wall_time(1h + 10min)}).kind
        == job_decision_kind::permit_all);
    both_canaries.failed = 3;
    CHECK(
        decide(job, first, both_canaries, {.now = wall_time(1h + 10min)}).kind
        == job_decision_kind::halt);
}

TEST_CASE("a job is done when every system has answered, and expired when its time came first") {
    CHECK(
        decide(
            a_job(), start_all{}, {.completed = 9, .failed = 1, .exact = true}, {.expired = true})
            .stage
        == job_stage::done);
    CHECK(
        decide(a_job(), start_all{}, {.completed = 8, .exact = true}, {.expired = true}).stage
        == job_stage::expired);
    CHECK(
        decide(a_job(), start_all{}, {.completed = 8, .exact = true}, {}).kind
        == job_decision_kind::none);
}

TEST_CASE("a cancelled job ends when nobody has anything of it left") {
    auto job = a_job();
    job.stage = job_stage::cancelling;

    CHECK(
        decide(job, start_all{}, {.running = 1, .exact = true}, {}).kind
        == job_decision_kind::none);
    CHECK(
        decide(job, start_all{}, {.queued = 1, .exact = true}, {}).kind == job_decision_kind::none);
    CHECK(
        decide(job, start_all{}, {.completed = 3, .exact = true}, {}).stage
        == job_stage::cancelled);
}

TEST_CASE("sums are exact only if every owner of slots has told of the slots it has now") {
    node_view response{
        .node = node_id("a"), .record = {}, .report = share_report{}, .slots_changed = 3};
    response.report->epoch = 3;
    response.report->completed = 4;
    node_view late = response;
    late.node = node_id("b");
    late.report->epoch = 2;
    node_view without_slots = late;
    without_slots.owns_slots = false;

    CHECK_FALSE(totals_of({response, late}).exact);
    CHECK(totals_of({response, without_slots}) == job_totals{.completed = 4, .exact = true});
}

}  // namespace
}  // namespace muster::rollout
