#include "services/scheduling/job_rescheduler.h"

#include "core/jobs/job_changes.h"
#include "tests/fixtures/scheduling/scheduling_fixture.h"

#include <doctest/doctest.h>

namespace muster::scheduling {
namespace {

using namespace test;

TEST_CASE("only jobs that respect windows and have a start to come are planned") {
    scheduling_fixture on;
    const auto job = on.make(at_hour(20), both);
    on.make(std::nullopt, both);
    on.make(at_hour(11), both);
    on.make(at_hour(20), {system_number(9)});

    CHECK(
        on.hooks.planned("nights")
        == std::vector{windows::planned_start{.job = to_string(job.job), .at = at_hour(20)}});
    CHECK(on.hooks.planned("mornings").empty());
}

bool may_start(const job_record& job) {
    return job.stage == job_stage::open && job.phase != job_phase::nobody;
}

windows::replanned moved_to(const job_record& job, wall_time to) {
    return {
        .plan = {.job = to_string(job.job), .at = *job.spec.not_before},
        .verdict = windows::moved{.to = to, .by = windows::strategy::next}};
}

TEST_CASE("a start that moves is a new job, and the request does no more than write it") {
    scheduling_fixture on;
    const auto job = on.make(at_hour(20), both);

    const auto replaced =
        run_sync(on.hooks.carry_out({{"nights", {moved_to(job, at_hour(22))}}}, "admin")).value();

    REQUIRE(replaced.size() == 1);
    REQUIRE(replaced[0].by.size() == 1);
    CHECK(on.now(to_string(job.job)) == job);
    const auto next = on.now(replaced[0].by[0]);
    CHECK(next.phase == job_phase::nobody);
    CHECK(next.spec.replaces == job.job);
    CHECK(next.spec.not_before == at_hour(22));
    CHECK(next.spec.arguments == job.spec.arguments);
    CHECK(on.targets(replaced[0].by[0]) == both);
}

// Each look is another steward's, as if the one before had been killed after a single change.
TEST_CASE("whoever dies while a job is re-planned leaves what the next steward finishes") {
    scheduling_fixture on;
    on.give("mornings", {system_number(3)});
    const auto job = on.make(at_hour(20), {system_number(1), system_number(2), system_number(3)});
    const auto replaced =
        run_sync(on.hooks.carry_out({{"nights", {moved_to(job, at_hour(22))}}}, "admin")).value();
    REQUIRE(replaced.at(0).by.size() == 2);

    for (int look = 0; look < 6; ++look) {
        on.look_anew();
        const bool old_is_over = is_end(on.now(to_string(job.job)).stage);
        for (const auto& each : replaced[0].by)
            if (may_start(on.now(each))) CHECK(old_is_over);
    }

    const auto old = on.now(to_string(job.job));
    CHECK(old.stage == job_stage::cancelled);
    CHECK(old.spec.replaced_by.size() == 2);
    for (const auto& each : replaced[0].by) CHECK(may_start(on.now(each)));
    CHECK(on.now(replaced[0].by[0]).spec.not_before == at_hour(20));
    CHECK(on.targets(replaced[0].by[0]) == fleet::system_set{system_number(3)});
    CHECK(on.targets(replaced[0].by[1]) == both);
}

TEST_CASE("of two who re-plan the same job at the same time one does, and nothing runs twice") {
    scheduling_fixture on;
    const auto job = on.make(at_hour(20), both);
    // The book has not heard of the first when the second comes.
    for (const int hour : {22, 23}) {
        on.clock.pass(1s);
        REQUIRE(
            run_sync(on.hooks.carry_out({{"nights", {moved_to(job, at_hour(hour))}}}, "admin")));
    }

    on.see_through();

    std::vector<job_record> able;
    for (const auto& each : on.all()) {
        if (may_start(each)) able.push_back(each);
        if (!may_start(each)) CHECK(each.stage == job_stage::cancelled);
    }
    REQUIRE(able.size() == 1);
    CHECK(able[0].spec.replaces == job.job);
    CHECK(on.now(to_string(job.job)).spec.replaced_by == std::vector{able[0].job});
}

TEST_CASE("a job that is about to start when its turn comes stays as it is") {
    scheduling_fixture on;
    const auto job = on.make(at_hour(20), both);
    const auto replaced =
        run_sync(on.hooks.carry_out({{"nights", {moved_to(job, at_hour(22))}}}, "admin")).value();
    on.clock.set(at_hour(20));  // no steward was there in between

    on.see_through();

    CHECK(on.now(to_string(job.job)).stage == job_stage::open);
    const auto given_up = on.now(replaced.at(0).by.at(0));
    CHECK(given_up.stage == job_stage::cancelled);
    CHECK(given_up.reason.contains("about to start"));
}

TEST_CASE("a re-planned job that somebody cancels at that moment stays cancelled") {
    scheduling_fixture on;
    const auto job = on.make(at_hour(20), both);
    const auto replaced =
        run_sync(on.hooks.carry_out({{"nights", {moved_to(job, at_hour(22))}}}, "admin")).value();
    REQUIRE(run_sync(on.jobs.change(job.job, [](job_record record) {
        return jobs::cancel(
            std::move(record), jobs::running_tasks::finish, {.by = "eve", .note = ""});
    })));

    on.see_through();

    CHECK(on.now(to_string(job.job)).stage == job_stage::cancelled);
    CHECK(on.now(replaced.at(0).by.at(0)).stage == job_stage::cancelled);
}

TEST_CASE("a paused job goes on as a paused one, and a re-planned one can be re-planned again") {
    scheduling_fixture on;
    const auto job = on.make(at_hour(20), both);
    REQUIRE(run_sync(on.jobs.change(job.job, [](job_record record) {
        return jobs::pause(std::move(record), {.by = "eve", .note = "wait"});
    })));
    REQUIRE(run_sync(on.book.catch_up()));
    const auto first =
        run_sync(on.hooks.carry_out({{"nights", {moved_to(job, at_hour(22))}}}, "admin")).value();
    const auto middle = on.now(first.at(0).by.at(0));
    // Before any steward looked at the first change.
    const auto second =
        run_sync(on.hooks.carry_out({{"nights", {moved_to(middle, at_hour(23))}}}, "admin"))
            .value();

    on.see_through();

    REQUIRE(second.size() == 1);
    CHECK(on.now(to_string(job.job)).stage == job_stage::cancelled);
    CHECK(on.now(to_string(middle.job)).stage == job_stage::cancelled);
    const auto last = on.now(second[0].by.at(0));
    CHECK(last.stage == job_stage::paused);
    CHECK(last.phase == job_phase::everybody);
    CHECK(last.reason.contains("wait"));
    CHECK(last.spec.note == "in place of job " + to_string(middle.job));
}

TEST_CASE("a job with canaries or limits moves as a whole, to where most of its systems go") {
    scheduling_fixture on;
    on.give("mornings", {system_number(3)});
    rollout_options options;
    options.canary = amount{.value = 1};
    const fleet::system_set three{system_number(1), system_number(2), system_number(3)};
    const auto job = on.make(at_hour(20), three, options);

    const auto replaced =
        run_sync(on.hooks.carry_out({{"nights", {moved_to(job, at_hour(22))}}}, "admin")).value();

    REQUIRE(replaced.at(0).by.size() == 1);
    CHECK(on.targets(replaced[0].by[0]) == three);
    on.see_through();
    const auto next = on.now(replaced[0].by[0]);
    CHECK(next.spec.not_before == at_hour(22));
    CHECK(next.phase == job_phase::canaries);
}

TEST_CASE("a job whose canaries are taken back has others go first") {
    scheduling_fixture on;
    rollout_options options;
    options.canary = amount{.value = 1};
    on.make(at_hour(20), both, options);

    const auto left = run_sync(on.hooks.cancel({system_number(1)}, "admin")).value();

    const auto part = parse_job_id(left.at(0).by.at(0)).value();
    CHECK(run_sync(on.jobs.audience(part)).value().canaries == fleet::system_set{system_number(2)});
    on.see_through();
    CHECK(on.now(to_string(part)).phase == job_phase::canaries);
}

TEST_CASE("a job with limits that most of its systems keep the start of stays the job it is") {
    scheduling_fixture on;
    on.give("mornings", {system_number(2), system_number(3)});
    rollout_options options;
    options.batch = amount{.value = 1};
    const auto job =
        on.make(at_hour(20), {system_number(1), system_number(2), system_number(3)}, options);

    CHECK(run_sync(on.hooks.carry_out({{"nights", {moved_to(job, at_hour(22))}}}, "admin"))
              .value()
              .empty());
}

TEST_CASE("what another schedule's systems have planned is not touched") {
    scheduling_fixture on;
    on.give("mornings", {system_number(2)});
    const auto job = on.make(at_hour(20), {system_number(1), system_number(2), system_number(3)});
    const windows::replanned gone{
        .plan = {.job = to_string(job.job), .at = at_hour(20)}, .verdict = windows::cancelled{}};

    const auto replaced = run_sync(on.hooks.carry_out({{"nights", {gone}}}, "admin")).value();

    REQUIRE(replaced.size() == 1);
    REQUIRE(replaced[0].by.size() == 1);
    CHECK(on.targets(replaced[0].by[0]) == fleet::system_set{system_number(2), system_number(3)});
    CHECK(on.now(replaced[0].by[0]).spec.not_before == at_hour(20));
}

TEST_CASE("a plan that is kept stays the job it is") {
    scheduling_fixture on;
    const auto job = on.make(at_hour(20), both);
    const windows::replanned stays{
        .plan = {.job = to_string(job.job), .at = at_hour(20)}, .verdict = windows::kept{}};

    CHECK(run_sync(on.hooks.carry_out({{"nights", {stays}}}, "admin")).value().empty());
    CHECK(on.now(to_string(job.job)).stage == job_stage::open);
}

TEST_CASE("a system with another schedule loses its planned work, and the others keep theirs") {
    scheduling_fixture on;
    const auto job = on.make(at_hour(20), both);
    const auto alone = on.make(at_hour(20), {system_number(1)});

    const auto cancelled = run_sync(on.hooks.cancel({system_number(1)}, "admin")).value();

    REQUIRE(cancelled.size() == 2);
    CHECK(on.now(to_string(alone.job)).stage == job_stage::cancelling);
    CHECK(cancelled[0].job == to_string(job.job));
    REQUIRE(cancelled[0].by.size() == 1);
    CHECK(on.targets(cancelled[0].by[0]) == fleet::system_set{system_number(2)});
    CHECK(cancelled[1].by.empty());
}

}  // namespace
}  // namespace muster::scheduling
