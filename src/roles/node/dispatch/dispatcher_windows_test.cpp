#include "roles/node/dispatch/dispatcher_fixture.h"

#include <doctest/doctest.h>

#include <algorithm>

// Starts that must happen within a window, and tasks that never got to their agents.
namespace muster::dispatch {
namespace {

const job_spec in_window{.function = "cmd.run", .windows = job_spec::window_rule::respect};
const job_spec at_any_time{.function = "test.ping", .windows = job_spec::window_rule::ignore};

// A job that is limited has its start on record before it is sent.
job_id recorded_and_not_sent(room& in) {
    job_spec spec{.function = "cmd.run"};
    spec.rollout.batch = amount{.value = 1};
    const auto job = in.make(std::move(spec), 1, 1).job;
    in.attach(1);
    in.until([&] {
        const auto response = in.up->node.scheduler().report(job, in.clock.now());
        return response && response->startable == 1;
    });
    in.up->node.allow(job, {.places = 1}, {});
    in.lease.lost();
    in.until([&] { return in.task(job, 1).has_value(); });
    return job;
}

void say_unknown(room& in, unsigned system, job_id job) {
    Frame frame;
    auto& one = *frame.mutable_tasks_held()->add_held();
    one.mutable_task()->set_job(job.value());
    one.mutable_task()->set_attempt(1);
    one.set_unknown(true);
    in.say(system, std::move(frame));
}

TEST_CASE("a task says how much of its window is left, and one that heeds none says nothing") {
    room in(1);
    in.window_seconds = 600;
    in.attach(1);

    in.make(in_window, 1, 1);
    in.until([&] { return in.told(1, Frame::kTask) == 1; });
    in.make(at_any_time, 1, 1);
    in.until([&] { return in.told(1, Frame::kTask) == 2; });

    const auto left = in.sent[1].front().task().start_within_ms();
    CHECK(left > 500'000);
    CHECK(left <= 600'000);
    CHECK(in.sent[1].back().task().start_within_ms() == 0);
}

TEST_CASE("where the window limits the start alone, work is begun that will not end within it") {
    room in(1);
    in.recorded = {.mean = 3000, .deviation = 0, .samples = 6};
    in.window_seconds = 600;
    in.attach(1);
    auto start_only = in_window;
    start_only.windows = job_spec::window_rule::start;

    in.make(in_window, 1, 1);
    in.make(start_only, 1, 1);
    in.until([&] { return in.told(1, Frame::kTask) == 1; });

    CHECK(in.sent[1].back().task().start_within_ms() > 500'000);
    in.outside.add(system_number(1));
    const auto late = in.make(start_only, 1, 1).job;
    in.make(at_any_time, 1, 1);
    in.until([&] { return in.told(1, Frame::kTask) == 2; });
    CHECK(in.sent[1].back().task().function() == "test.ping");
    CHECK_FALSE(in.task(late, 1).has_value());
}

TEST_CASE("a task that could not start in its window is taken, queued, and sent in the next one") {
    room in(1);
    in.window_seconds = 600;
    in.attach(1);
    const auto job = in.make(in_window, 1, 1).job;
    in.until([&] { return in.told(1, Frame::kTask) == 1; });

    in.outside.add(system_number(1));
    in.report(1, room::report_of(job, Report::OUTCOME_NOT_STARTED));
    in.until([&] { return in.told(1, Frame::kReportsTaken) == 1; });
    CHECK(in.task(job, 1)->state == task_state::queued);
    CHECK(in.task(job, 1)->attempt == 2);
    in.outside = {};
    in.until([&] { return in.told(1, Frame::kTask) == 2; });

    CHECK(in.sent[1].back().task().attempt() == 2);
    in.report(1, room::report_of(job, Report::OUTCOME_FAILED, 2));
    in.until([&] { return in.told(1, Frame::kReportsTaken) == 2; });
    CHECK(in.task(job, 1)->state == task_state::failed);
}

TEST_CASE("a lost task is not sent again by a node whose lease is not sure") {
    room in(1);
    in.make({.function = "cmd.run"}, 1, 1);
    in.attach(1);
    in.until([&] { return in.told(1, Frame::kTask) == 1; });
    in.lease.lost();

    in.leave(1);
    in.attach(1);
    in.report(1, room::report_of(job_id(5), Report::OUTCOME_SUCCEEDED));
    in.until([&] { return in.told(1, Frame::kReportsTaken) == 1; });  // so the rest is done, too

    CHECK(in.told(1, Frame::kTask) == 1);
    in.lease.confirmed(in.clock.now(), 1h);
    in.until([&] { return in.told(1, Frame::kTask) == 2; });
}

TEST_CASE("a lost task of a job that is paused is sent again when the job goes on") {
    room in(1);
    const auto job = in.make({.function = "cmd.run"}, 1, 1).job;
    in.attach(1);
    in.until([&] { return in.told(1, Frame::kTask) == 1; });
    in.change(job, job_stage::paused);

    in.leave(1);
    in.attach(1);
    in.report(1, room::report_of(job_id(5), Report::OUTCOME_SUCCEEDED));
    in.until([&] { return in.told(1, Frame::kReportsTaken) == 1; });

    CHECK(in.told(1, Frame::kTask) == 1);
    in.change(job, job_stage::open);
    in.until([&] { return in.told(1, Frame::kTask) == 2; });
}

TEST_CASE("a start that is on record is not sent when its job is over, and ends as not begun") {
    room in(1);
    const auto job = recorded_and_not_sent(in);
    in.change(job, job_stage::cancelling);

    in.lease.confirmed(in.clock.now(), 1h);
    in.until([&] { return in.told(1, Frame::kTaskSignal) == 1; });
    say_unknown(in, 1, job);
    in.until([&] { return in.task(job, 1)->state == task_state::failed; });

    CHECK(in.told(1, Frame::kTask) == 0);
    CHECK(in.task(job, 1)->reason == "It had not begun when its job ended.");
}

}  // namespace
}  // namespace muster::dispatch
