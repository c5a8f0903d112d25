#include "roles/node/dispatch/dispatcher_fixture.h"

#include <doctest/doctest.h>

#include <algorithm>

// Starts that must happen within a window, and tasks that never got to their agents.
namespace muster::dispatch {
namespace {

const job_spec in_window{.function = "cmd.run", .windows = job_spec::window_rule::respect};
const job_spec at_any_time{.function = "test.ping", .windows = job_spec::window_rule::ignore};

// A job that is limited has its start on record before it is sent.
job_id recorded_and_not_sent(room& fixture) {
    job_spec spec{.function = "cmd.run"};
    spec.rollout.batch = amount{.value = 1};
    const auto job = fixture.make(std::move(spec), 1, 1).job;
    fixture.attach(1);
    fixture.until([&] {
        const auto response = fixture.up->node.scheduler().report(job, fixture.clock.now());
        return response && response->startable == 1;
    });
    fixture.up->node.allow(job, {.concurrency = 1}, {});
    fixture.lease.lost();
    fixture.until([&] { return fixture.task(job, 1).has_value(); });
    return job;
}

void say_unknown(room& fixture, unsigned system, job_id job) {
    Frame frame;
    auto& one = *frame.mutable_tasks_held()->add_held();
    one.mutable_task()->set_job(job.value());
    one.mutable_task()->set_attempt(1);
    one.set_unknown(true);
    fixture.say(system, std::move(frame));
}

TEST_CASE("a task says how much of its window is left, and one that heeds none says nothing") {
    room fixture(1);
    fixture.window_seconds = 600;
    fixture.attach(1);

    fixture.make(in_window, 1, 1);
    fixture.until([&] { return fixture.told(1, Frame::kTask) == 1; });
    fixture.make(at_any_time, 1, 1);
    fixture.until([&] { return fixture.told(1, Frame::kTask) == 2; });

    const auto left = fixture.sent[1].front().task().start_within_ms();
    CHECK(left > 500'000);
    CHECK(left <= 600'000);
    CHECK(fixture.sent[1].back().task().start_within_ms() == 0);
}

TEST_CASE("where the window limits the start alone, work is begun that will not end within it") {
    room fixture(1);
    fixture.recorded = {.mean = 3000, .deviation = 0, .samples = 6};
    fixture.window_seconds = 600;
    fixture.attach(1);
    auto start_only = in_window;
    start_only.windows = job_spec::window_rule::start;

    fixture.make(in_window, 1, 1);
    fixture.make(start_only, 1, 1);
    fixture.until([&] { return fixture.told(1, Frame::kTask) == 1; });

    CHECK(fixture.sent[1].back().task().start_within_ms() > 500'000);
    fixture.outside.add(system_number(1));
    const auto late = fixture.make(start_only, 1, 1).job;
    fixture.make(at_any_time, 1, 1);
    fixture.until([&] { return fixture.told(1, Frame::kTask) == 2; });
    CHECK(fixture.sent[1].back().task().function() == "test.ping");
    CHECK_FALSE(fixture.task(late, 1).has_value());
}

TEST_CASE("a task that could not start in its window is taken, queued, and sent in the next one") {
    room fixture(1);
    fixture.window_seconds = 600;
    fixture.attach(1);
    const auto job = fixture.make(in_window, 1, 1).job;
    fixture.until([&] { return fixture.told(1, Frame::kTask) == 1; });

    fixture.outside.add(system_number(1));
    fixture.report(1, room::report_of(job, Report::OUTCOME_NOT_STARTED));
    fixture.until([&] { return fixture.told(1, Frame::kReportsTaken) == 1; });
    CHECK(fixture.task(job, 1)->state == task_state::queued);
    CHECK(fixture.task(job, 1)->attempt == 2);
    fixture.outside = {};
    fixture.until([&] { return fixture.told(1, Frame::kTask) == 2; });

    CHECK(fixture.sent[1].back().task().attempt() == 2);
    fixture.report(1, room::report_of(job, Report::OUTCOME_FAILED, 2));
    fixture.until([&] { return fixture.told(1, Frame::kReportsTaken) == 2; });
    CHECK(fixture.task(job, 1)->state == task_state::failed);
}

TEST_CASE("a lost task is not sent again by a node whose lease is not sure") {
    room fixture(1);
    fixture.make({.function = "cmd.run"}, 1, 1);
    fixture.attach(1);
    fixture.until([&] { return fixture.told(1, Frame::kTask) == 1; });
    fixture.lease.lost();

    fixture.leave(1);
    fixture.attach(1);
    fixture.report(1, room::report_of(job_id(5), Report::OUTCOME_SUCCEEDED));
    fixture.until(
        [&] { return fixture.told(1, Frame::kReportsTaken) == 1; });  // so the rest is done, too

    CHECK(fixture.told(1, Frame::kTask) == 1);
    fixture.lease.confirmed(fixture.clock.now(), 1h);
    fixture.until([&] { return fixture.told(1, Frame::kTask) == 2; });
}

TEST_CASE("a lost task of a job that is paused is sent again when the job goes on") {
    room fixture(1);
    const auto job = fixture.make({.function = "cmd.run"}, 1, 1).job;
    fixture.attach(1);
    fixture.until([&] { return fixture.told(1, Frame::kTask) == 1; });
    fixture.change(job, job_stage::paused);

    fixture.leave(1);
    fixture.attach(1);
    fixture.report(1, room::report_of(job_id(5), Report::OUTCOME_SUCCEEDED));
    fixture.until([&] { return fixture.told(1, Frame::kReportsTaken) == 1; });

    CHECK(fixture.told(1, Frame::kTask) == 1);
    fixture.change(job, job_stage::open);
    fixture.until([&] { return fixture.told(1, Frame::kTask) == 2; });
}

TEST_CASE("a start that is on record is not sent when its job is over, and ends as not begun") {
    room fixture(1);
    const auto job = recorded_and_not_sent(fixture);
    fixture.change(job, job_stage::cancelling);

    fixture.lease.confirmed(fixture.clock.now(), 1h);
    fixture.until([&] { return fixture.told(1, Frame::kTaskSignal) == 1; });
    say_unknown(fixture, 1, job);
    fixture.until([&] { return fixture.task(job, 1)->state == task_state::failed; });

    CHECK(fixture.told(1, Frame::kTask) == 0);
    CHECK(fixture.task(job, 1)->reason == "task had not started when its job ended");
}

}  // namespace
}  // namespace muster::dispatch
