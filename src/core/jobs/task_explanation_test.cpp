#include "core/jobs/task_explanation.h"

#include <doctest/doctest.h>

#include <chrono>

namespace muster::jobs {
namespace {

using namespace std::chrono_literals;

const wall_time noon =
    wall_time(std::chrono::sys_days(std::chrono::year(2026) / std::chrono::November / 16)) + 12h;

// An open job, and an attached system that nothing holds.
task_situation plain() {
    task_situation about;
    about.job.job = job_id_at(noon - 1h);
    about.attached = true;
    about.now = noon;
    return about;
}

task_record row(task_state state) {
    task_record task;
    task.state = state;
    task.picked_up = noon - 5min;
    task.node = "n1";
    return task;
}

TEST_CASE("a queued task says the first thing that holds it, in the order a node looks at them") {
    auto about = plain();
    CHECK(explain_task(about).cause == "turn");
    about.job.spec.rollout.rate = 1;
    CHECK(explain_task(about).cause == "rate");
    about.concurrency = 10;
    about.running = 10;
    CHECK(explain_task(about).cause == "batch");
    about.window_opens = noon + 10h;
    CHECK(explain_task(about).cause == "window");
    CHECK(explain_task(about).sentence.contains("2026-11-16 22:00:00 UTC"));
    about.attached = false;
    about.last_seen = noon - 2h;
    CHECK(explain_task(about).cause == "away");
    CHECK(explain_task(about).sentence.contains("disconnected since 2026-11-16 10:00:00 UTC"));
    about.job.phase = job_phase::canaries;
    CHECK(explain_task(about).cause == "canaries");
    about.job.phase = job_phase::none;
    about.job.spec.parents = {job_id(7)};
    CHECK(explain_task(about).cause == "parents");
    about.job.spec.not_before = noon + 1h;
    CHECK(explain_task(about).cause == "not_before");
    about.job.stage = job_stage::paused;
    about.job.reason = "paused by admin";
    CHECK(explain_task(about).cause == "paused");
    CHECK(explain_task(about).sentence == "queued: the job is paused: paused by admin");
    about.target = false;
    CHECK(explain_task(about).cause == "no_target");
}

TEST_CASE("after the canaries it is said until when the rest waits") {
    auto about = plain();
    about.job.phase = job_phase::canaries;
    about.rest_start_time = noon + 10min;
    CHECK(explain_task(about).cause == "canaries");
    CHECK(
        explain_task(about).sentence
        == "queued: the canaries succeeded; the other systems start at 2026-11-16 12:10:00 UTC "
           "(canary_wait)");
}

TEST_CASE("a picked-up task says where its agent is with it") {
    auto about = plain();
    about.task = row(task_state::picked_up);
    about.activity = "step 2 of 3";
    CHECK(explain_task(about).sentence.ends_with("; no result yet: step 2 of 3"));
}

TEST_CASE("work that would not end within its window says so") {
    auto about = plain();
    about.window_rule = "it is expected to take 50 min, and the window has 10 min left";
    about.window_opens = noon + 10h;
    CHECK(explain_task(about).cause == "window");
    CHECK(explain_task(about).sentence == "queued: " + *about.window_rule);
}

TEST_CASE("a canary does not wait for the canaries") {
    auto about = plain();
    about.job.phase = job_phase::canaries;
    about.canary = true;
    CHECK(explain_task(about).cause == "turn");
}

TEST_CASE("a system that is away starts on its return only if the job waits for it") {
    auto about = plain();
    about.attached = false;
    CHECK(explain_task(about).sentence.contains(
        "when the system reconnects, until 2026-11-17 11:00:00"));
    about.job.spec.rollout.on_return = false;
    CHECK(explain_task(about).sentence.contains("the task will fail"));
}

TEST_CASE("a picked-up task says since when and through which node") {
    auto about = plain();
    about.task = row(task_state::picked_up);
    const auto response = explain_task(about);
    CHECK(response.state == task_state::picked_up);
    CHECK(response.sentence.contains("at 2026-11-16 11:55:00 UTC via node n1"));
}

TEST_CASE("an ended task says how and why, also when its job ended before it began") {
    auto about = plain();
    about.task = row(task_state::failed);
    about.task->exit_code = 3;
    CHECK(explain_task(about).sentence.contains("exit code 3"));
    about.task->reason = "timed out after 90 s";
    CHECK(explain_task(about).sentence.contains("timed out after 90 s"));
    about.task.reset();
    about.job.stage = job_stage::halted;
    about.job.reason = "3 of 100 failed";
    CHECK(explain_task(about).state == task_state::cancelled);
    CHECK(explain_task(about).sentence.contains("3 of 100 failed"));
    about.job.stage = job_stage::expired;
    CHECK(explain_task(about).state == task_state::expired);
}

TEST_CASE("a task between two attempts tells what became of the last one") {
    auto about = plain();
    about.task = row(task_state::queued);
    about.task->attempt = 2;
    about.task->reason = "exit code 1";
    CHECK(explain_task(about).cause == "retry");
    CHECK(explain_task(about).sentence.contains("attempt 1 failed: exit code 1"));
}

}  // namespace
}  // namespace muster::jobs
