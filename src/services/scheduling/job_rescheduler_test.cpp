#include "services/scheduling/job_rescheduler.h"

#include "core/jobs/job_changes.h"
#include "tests/fixtures/scheduling/scheduling_fixture.h"

#include <doctest/doctest.h>

namespace muster::scheduling {
namespace {

using namespace test;

TEST_CASE("only jobs that respect windows and have a start to come are planned") {
    scheduling_fixture fixture;
    const auto job = fixture.create_job(at_hour(20), both);
    fixture.create_job(std::nullopt, both);
    fixture.create_job(at_hour(11), both);
    fixture.create_job(at_hour(20), {system_number(9)});

    CHECK(
        fixture.hooks.planned("nights")
        == std::vector{windows::planned_start{.job = to_string(job.job), .at = at_hour(20)}});
    CHECK(fixture.hooks.planned("mornings").empty());
}

bool may_start(const job_record& job) {
    return job.stage == job_stage::open && job.phase != job_phase::none;
}

windows::replan_decision moved_to(const job_record& job, wall_time to) {
    return {
        .plan = {.job = to_string(job.job), .at = *job.spec.not_before},
        .action = windows::moved{.start = to, .strategy = windows::strategy::next}};
}

TEST_CASE("a start that moves is a new job, and the request does no more than write it") {
    scheduling_fixture fixture;
    const auto job = fixture.create_job(at_hour(20), both);

    const auto replaced =
        run_sync(fixture.hooks.apply_decisions({{"nights", {moved_to(job, at_hour(22))}}}, "admin"))
            .value();

    REQUIRE(replaced.size() == 1);
    REQUIRE(replaced[0].replacements.size() == 1);
    CHECK(fixture.find_job(to_string(job.job)) == job);
    const auto next = fixture.find_job(replaced[0].replacements[0]);
    CHECK(next.phase == job_phase::none);
    CHECK(next.spec.replaces == job.job);
    CHECK(next.spec.not_before == at_hour(22));
    CHECK(next.spec.arguments == job.spec.arguments);
    CHECK(fixture.targets(replaced[0].replacements[0]) == both);
}

// Each look is another steward's, as if the one before had been killed after a single change.
TEST_CASE("whoever dies while a job is re-planned leaves what the next steward finishes") {
    scheduling_fixture fixture;
    fixture.assign_schedule("mornings", {system_number(3)});
    const auto job =
        fixture.create_job(at_hour(20), {system_number(1), system_number(2), system_number(3)});
    const auto replaced =
        run_sync(fixture.hooks.apply_decisions({{"nights", {moved_to(job, at_hour(22))}}}, "admin"))
            .value();
    REQUIRE(replaced.at(0).replacements.size() == 2);

    for (int look = 0; look < 6; ++look) {
        fixture.run_supervisor();
        const bool old_is_over = is_final(fixture.find_job(to_string(job.job)).stage);
        for (const auto& each : replaced[0].replacements)
            if (may_start(fixture.find_job(each))) CHECK(old_is_over);
    }

    const auto old = fixture.find_job(to_string(job.job));
    CHECK(old.stage == job_stage::cancelled);
    CHECK(old.spec.replaced_by.size() == 2);
    for (const auto& each : replaced[0].replacements) CHECK(may_start(fixture.find_job(each)));
    CHECK(fixture.find_job(replaced[0].replacements[0]).spec.not_before == at_hour(20));
    CHECK(fixture.targets(replaced[0].replacements[0]) == fleet::system_set{system_number(3)});
    CHECK(fixture.targets(replaced[0].replacements[1]) == both);
}

TEST_CASE("of two who re-plan the same job at the same time one does, and nothing runs twice") {
    scheduling_fixture fixture;
    const auto job = fixture.create_job(at_hour(20), both);
    // The book has not heard of the first when the second comes.
    for (const int hour : {22, 23}) {
        fixture.clock.pass(1s);
        REQUIRE(run_sync(
            fixture.hooks.apply_decisions({{"nights", {moved_to(job, at_hour(hour))}}}, "admin")));
    }

    fixture.run_to_end();

    std::vector<job_record> able;
    for (const auto& each : fixture.list_jobs()) {
        if (may_start(each)) able.push_back(each);
        if (!may_start(each)) CHECK(each.stage == job_stage::cancelled);
    }
    REQUIRE(able.size() == 1);
    CHECK(able[0].spec.replaces == job.job);
    CHECK(fixture.find_job(to_string(job.job)).spec.replaced_by == std::vector{able[0].job});
}

TEST_CASE("a job that is about to start when its turn comes stays as it is") {
    scheduling_fixture fixture;
    const auto job = fixture.create_job(at_hour(20), both);
    const auto replaced =
        run_sync(fixture.hooks.apply_decisions({{"nights", {moved_to(job, at_hour(22))}}}, "admin"))
            .value();
    fixture.clock.set(at_hour(20));  // no steward was there in between

    fixture.run_to_end();

    CHECK(fixture.find_job(to_string(job.job)).stage == job_stage::open);
    const auto given_up = fixture.find_job(replaced.at(0).replacements.at(0));
    CHECK(given_up.stage == job_stage::cancelled);
    CHECK(given_up.reason.contains("about to start"));
}

TEST_CASE("a re-planned job that somebody cancels at that moment stays cancelled") {
    scheduling_fixture fixture;
    const auto job = fixture.create_job(at_hour(20), both);
    const auto replaced =
        run_sync(fixture.hooks.apply_decisions({{"nights", {moved_to(job, at_hour(22))}}}, "admin"))
            .value();
    REQUIRE(run_sync(fixture.jobs.change(job.job, [](job_record record) {
        return jobs::cancel(
            std::move(record), jobs::running_task_policy::finish, {.user = "eve", .note = ""});
    })));

    fixture.run_to_end();

    CHECK(fixture.find_job(to_string(job.job)).stage == job_stage::cancelled);
    CHECK(fixture.find_job(replaced.at(0).replacements.at(0)).stage == job_stage::cancelled);
}

TEST_CASE("a paused job goes on as a paused one, and a re-planned one can be re-planned again") {
    scheduling_fixture fixture;
    const auto job = fixture.create_job(at_hour(20), both);
    REQUIRE(run_sync(fixture.jobs.change(job.job, [](job_record record) {
        return jobs::pause(std::move(record), {.user = "eve", .note = "wait"});
    })));
    REQUIRE(run_sync(fixture.open_jobs.refresh()));
    const auto first =
        run_sync(fixture.hooks.apply_decisions({{"nights", {moved_to(job, at_hour(22))}}}, "admin"))
            .value();
    const auto middle = fixture.find_job(first.at(0).replacements.at(0));
    // Before any steward looked at the first change.
    const auto second = run_sync(fixture.hooks.apply_decisions(
                                     {{"nights", {moved_to(middle, at_hour(23))}}}, "admin"))
                            .value();

    fixture.run_to_end();

    REQUIRE(second.size() == 1);
    CHECK(fixture.find_job(to_string(job.job)).stage == job_stage::cancelled);
    CHECK(fixture.find_job(to_string(middle.job)).stage == job_stage::cancelled);
    const auto last = fixture.find_job(second[0].replacements.at(0));
    CHECK(last.stage == job_stage::paused);
    CHECK(last.phase == job_phase::all);
    CHECK(last.reason.contains("wait"));
    CHECK(last.spec.note == "in place of job " + to_string(middle.job));
}

TEST_CASE("a job with canaries or limits moves as a whole, to where most of its systems go") {
    scheduling_fixture fixture;
    fixture.assign_schedule("mornings", {system_number(3)});
    rollout_options options;
    options.canary = amount{.value = 1};
    const fleet::system_set three{system_number(1), system_number(2), system_number(3)};
    const auto job = fixture.create_job(at_hour(20), three, options);

    const auto replaced =
        run_sync(fixture.hooks.apply_decisions({{"nights", {moved_to(job, at_hour(22))}}}, "admin"))
            .value();

    REQUIRE(replaced.at(0).replacements.size() == 1);
    CHECK(fixture.targets(replaced[0].replacements[0]) == three);
    fixture.run_to_end();
    const auto next = fixture.find_job(replaced[0].replacements[0]);
    CHECK(next.spec.not_before == at_hour(22));
    CHECK(next.phase == job_phase::canaries);
}

TEST_CASE("a job whose canaries are taken back has others go first") {
    scheduling_fixture fixture;
    rollout_options options;
    options.canary = amount{.value = 1};
    fixture.create_job(at_hour(20), both, options);

    const auto left = run_sync(fixture.hooks.cancel({system_number(1)}, "admin")).value();

    const auto part = parse_job_id(left.at(0).replacements.at(0)).value();
    CHECK(
        run_sync(fixture.jobs.find_targets(part)).value().canaries
        == fleet::system_set{system_number(2)});
    fixture.run_to_end();
    CHECK(fixture.find_job(to_string(part)).phase == job_phase::canaries);
}

TEST_CASE("a job with limits that most of its systems keep the start of stays the job it is") {
    scheduling_fixture fixture;
    fixture.assign_schedule("mornings", {system_number(2), system_number(3)});
    rollout_options options;
    options.batch = amount{.value = 1};
    const auto job = fixture.create_job(
        at_hour(20), {system_number(1), system_number(2), system_number(3)}, options);

    CHECK(
        run_sync(fixture.hooks.apply_decisions({{"nights", {moved_to(job, at_hour(22))}}}, "admin"))
            .value()
            .empty());
}

TEST_CASE("what another schedule's systems have planned is not touched") {
    scheduling_fixture fixture;
    fixture.assign_schedule("mornings", {system_number(2)});
    const auto job =
        fixture.create_job(at_hour(20), {system_number(1), system_number(2), system_number(3)});
    const windows::replan_decision gone{
        .plan = {.job = to_string(job.job), .at = at_hour(20)}, .action = windows::cancelled{}};

    const auto replaced =
        run_sync(fixture.hooks.apply_decisions({{"nights", {gone}}}, "admin")).value();

    REQUIRE(replaced.size() == 1);
    REQUIRE(replaced[0].replacements.size() == 1);
    CHECK(
        fixture.targets(replaced[0].replacements[0])
        == fleet::system_set{system_number(2), system_number(3)});
    CHECK(fixture.find_job(replaced[0].replacements[0]).spec.not_before == at_hour(20));
}

TEST_CASE("a plan that is kept stays the job it is") {
    scheduling_fixture fixture;
    const auto job = fixture.create_job(at_hour(20), both);
    const windows::replan_decision stays{
        .plan = {.job = to_string(job.job), .at = at_hour(20)}, .action = windows::kept{}};

    CHECK(run_sync(fixture.hooks.apply_decisions({{"nights", {stays}}}, "admin")).value().empty());
    CHECK(fixture.find_job(to_string(job.job)).stage == job_stage::open);
}

TEST_CASE("a system with another schedule loses its planned work, and the others keep theirs") {
    scheduling_fixture fixture;
    const auto job = fixture.create_job(at_hour(20), both);
    const auto alone = fixture.create_job(at_hour(20), {system_number(1)});

    const auto cancelled = run_sync(fixture.hooks.cancel({system_number(1)}, "admin")).value();

    REQUIRE(cancelled.size() == 2);
    CHECK(fixture.find_job(to_string(alone.job)).stage == job_stage::cancelling);
    CHECK(cancelled[0].job == to_string(job.job));
    REQUIRE(cancelled[0].replacements.size() == 1);
    CHECK(fixture.targets(cancelled[0].replacements[0]) == fleet::system_set{system_number(2)});
    CHECK(cancelled[1].replacements.empty());
}

}  // namespace
}  // namespace muster::scheduling
