#include "core/jobs/job_changes.h"

#include <doctest/doctest.h>

#include <array>
#include <chrono>

namespace muster::jobs {
namespace {

const change_origin by_admin{.user = "admin", .note = ""};

job_record job_in(job_stage stage) {
    job_record job;
    job.job = job_id_at(
        wall_time(std::chrono::sys_days(std::chrono::year(2026) / std::chrono::November / 16)));
    job.stage = stage;
    return job;
}

constexpr std::array ends{
    job_stage::cancelled, job_stage::halted, job_stage::expired, job_stage::done};

TEST_CASE("an open job is paused and goes on, and the record says who wanted it and why") {
    const auto paused =
        pause(job_in(job_stage::open), {.user = "admin", .note = "too loud"}).value();
    CHECK(paused.stage == job_stage::paused);
    CHECK(paused.reason == "paused by admin: too loud");
    CHECK(pause(paused, {.user = "somebody", .note = ""}).value() == paused);

    const auto going = resume(paused, by_admin).value();
    CHECK(going.stage == job_stage::open);
    CHECK(resume(going, by_admin).value() == going);
}

TEST_CASE("a job that has ended stays as it is, and the refusal says what to do instead") {
    for (const auto stage : ends) {
        const auto job = job_in(stage);
        CHECK(pause(job, by_admin).error().code() == errc::conflict);
        CHECK(release(job, by_admin).error().code() == errc::conflict);
        const auto resumed = resume(job, by_admin);
        CHECK(resumed.error().detail().contains("retry"));
        CHECK(resumed.error().detail().contains(to_string(job.job)));
        const auto gone = cancel(job, running_task_policy::finish, by_admin);
        CHECK(gone.has_value() == (stage == job_stage::cancelled));
    }
}

TEST_CASE("what is being cancelled cannot be paused, but its running tasks can be ended too") {
    const auto leaving =
        cancel(job_in(job_stage::paused), running_task_policy::finish, by_admin).value();
    CHECK(leaving.stage == job_stage::cancelling);
    CHECK_FALSE(leaving.kill_running);
    CHECK(pause(leaving, by_admin).error().code() == errc::conflict);
    CHECK(resume(leaving, by_admin).error().code() == errc::conflict);

    const auto killed = cancel(leaving, running_task_policy::kill, by_admin).value();
    CHECK(killed.kill_running);
    // A kill cannot be undone, because some tasks may be killed already.
    CHECK(cancel(killed, running_task_policy::finish, by_admin).value() == killed);
}

TEST_CASE("a released job waits neither for parents nor for canaries") {
    auto job = job_in(job_stage::open);
    job.phase = job_phase::canaries;
    const auto released = release(job, by_admin).value();
    CHECK(released.phase == job_phase::all);
    CHECK(release(released, by_admin).value() == released);
}

TEST_CASE("a job that takes another's place is not released before that has ended") {
    auto job = job_in(job_stage::open);
    job.phase = job_phase::none;
    job.spec.replaces = job_id(1);
    job.spec.siblings = {job.job};
    CHECK(release(job, by_admin).error().code() == errc::conflict);
    job.spec.siblings.clear();
    CHECK(release(job, by_admin).value().phase == job_phase::all);
}

TEST_CASE("a job made again starts now, for the failed only, and says after which") {
    auto old = job_in(job_stage::done);
    old.spec.function = "cmd.run";
    old.spec.query = "tag:db";
    old.spec.not_before = created_at(old.job);
    old.spec.parents = {job_id(1)};
    old.spec.replaces = job_id(2);
    old.spec.siblings = {old.job};
    old.spec.replaced_by = {job_id(3)};
    old.spec.rollout.canary = parse_amount("1").value();
    const auto spec = retry_spec(old, {.user = "eve", .note = "disk was full"});
    CHECK(spec.function == "cmd.run");
    CHECK(spec.actor == "eve");
    CHECK(spec.note.contains(to_string(old.job)));
    CHECK(spec.note.contains("disk was full"));
    CHECK_FALSE(spec.not_before.has_value());
    CHECK(spec.parents.empty());
    CHECK_FALSE(spec.replaces.has_value());
    CHECK(spec.siblings.empty());
    CHECK(spec.replaced_by.empty());
    CHECK_FALSE(spec.rollout.canary.has_value());
}

TEST_CASE("a job that has not ended is halted with the reason, whatever stage it is in") {
    for (const auto stage : {job_stage::open, job_stage::paused, job_stage::cancelling}) {
        const auto halted = halt(job_in(stage), "11 tasks failed, 10 are allowed");

        CHECK(halted.stage == job_stage::halted);
        CHECK(halted.reason == "11 tasks failed, 10 are allowed");
    }
}

TEST_CASE("a job that has ended is not halted any more and keeps its reason") {
    for (const auto stage : ends) {
        auto job = job_in(stage);
        job.reason = "as it ended";

        CHECK(halt(job, "11 tasks failed, 10 are allowed") == job);
    }
}

}  // namespace
}  // namespace muster::jobs
