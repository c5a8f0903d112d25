#include "roles/node/dispatch/dispatcher_fixture.h"

#include <doctest/doctest.h>

#include <string>

// Reports that fit nothing on record, and what is learned from those that do.
namespace muster::dispatch {
namespace {

Report with_payload(Report report) {
    report.set_digest(std::string(32, 'd'));
    report.set_payload_size(100'000);
    return report;
}

TEST_CASE("a report of a job that is not on record any more is taken, and its payload let go") {
    room fixture(1);
    fixture.attach(1);

    fixture.report(1, with_payload(room::report_of(job_id(12345), Report::OUTCOME_SUCCEEDED, 3)));
    fixture.until([&] { return fixture.told(1, Frame::kPayloadTaken) == 1; });

    REQUIRE(fixture.told(1, Frame::kReportsTaken) == 1);
    CHECK(fixture.sent[1].front().reports_taken().tasks(0).job() == 12345);
    CHECK(fixture.sent[1].front().reports_taken().tasks(0).attempt() == 3);
    CHECK(fixture.sent[1].back().payload_taken().task().attempt() == 3);
    CHECK_FALSE(fixture.task(job_id(12345), 1).has_value());
}

TEST_CASE("a report of somebody who was not asked is taken, whether its job goes on or has ended") {
    room fixture(2);
    fixture.attach(1);
    fixture.attach(2);
    const auto job = fixture.make({.function = "test.ping"}, 1, 1).job;
    fixture.until([&] { return fixture.told(1, Frame::kTask) == 1; });

    fixture.report(2, room::report_of(job, Report::OUTCOME_SUCCEEDED));
    fixture.until([&] { return fixture.told(2, Frame::kReportsTaken) == 1; });
    fixture.change(job, job_stage::cancelled);
    fixture.report(2, room::report_of(job, Report::OUTCOME_SUCCEEDED));
    fixture.until([&] { return fixture.told(2, Frame::kReportsTaken) == 2; });

    CHECK_FALSE(fixture.task(job, 2).has_value());
}

TEST_CASE("a report that comes twice does not take back that its task is tried again") {
    room fixture(1);
    job_spec spec{.function = "cmd.run"};
    spec.rollout.retries = 1;
    spec.rollout.retry_wait = std::chrono::hours(1);
    const auto job = fixture.make(std::move(spec), 1, 1).job;
    fixture.attach(1);
    fixture.until([&] { return fixture.told(1, Frame::kTask) == 1; });

    for (std::size_t times = 1; times <= 2; ++times) {
        fixture.report(1, room::report_of(job, Report::OUTCOME_FAILED));
        fixture.until([&] { return fixture.told(1, Frame::kReportsTaken) == times; });
        const auto row = fixture.task(job, 1);
        REQUIRE(row.has_value());
        CHECK(row->state == task_state::queued);
        CHECK(row->attempt == 2);
    }
}

TEST_CASE("the payload of an attempt that is followed by another is let go") {
    room fixture(1);
    job_spec spec{.function = "cmd.run"};
    spec.rollout.retries = 1;
    const auto job = fixture.make(std::move(spec), 1, 1).job;
    fixture.attach(1);
    fixture.until([&] { return fixture.told(1, Frame::kTask) == 1; });

    fixture.report(1, with_payload(room::report_of(job, Report::OUTCOME_FAILED)));
    fixture.until([&] { return fixture.told(1, Frame::kPayloadTaken) == 1; });

    CHECK(fixture.sent[1].back().payload_taken().task().attempt() == 1);
    CHECK(fixture.told(1, Frame::kPayloadWanted) == 0);
}

TEST_CASE("what was in flight when its job was halted gives its points back, and is forgotten") {
    room fixture(3);
    for (const unsigned each : {1U, 2U, 3U}) fixture.attach(each);
    const auto job = fixture.make({.function = "cmd.run"}, 1, 3).job;
    fixture.until([&] { return fixture.up->node.scheduler().limited_in_flight() == 3; });
    fixture.change(job, job_stage::halted);
    CHECK(fixture.up->node.scheduler().limited_in_flight() == 3);

    fixture.report(1, room::report_of(job, Report::OUTCOME_SUCCEEDED));
    fixture.report(2, room::report_of(job, Report::OUTCOME_FAILED));
    fixture.until([&] { return fixture.told(1, Frame::kReportsTaken) == 1; });
    fixture.until([&] { return fixture.told(2, Frame::kReportsTaken) == 1; });
    CHECK(fixture.up->node.scheduler().limited_in_flight() == 1);
    fixture.report(3, room::report_of(job, Report::OUTCOME_SUCCEEDED));
    fixture.until([&] { return fixture.told(3, Frame::kReportsTaken) == 1; });

    CHECK(fixture.up->node.scheduler().limited_in_flight() == 0);
    CHECK(fixture.up->node.scheduler().jobs().empty());
    CHECK(fixture.task(job, 1)->state == task_state::completed);
    CHECK(fixture.task(job, 2)->state == task_state::failed);
    CHECK(fixture.task(job, 3)->state == task_state::completed);
}

TEST_CASE("a job that ended after its last task did is forgotten") {
    room fixture(1);
    fixture.attach(1);
    const auto job = fixture.make({.function = "test.ping"}, 1, 1).job;
    fixture.until([&] { return fixture.told(1, Frame::kTask) == 1; });
    fixture.report(1, room::report_of(job, Report::OUTCOME_SUCCEEDED));
    fixture.until([&] { return fixture.told(1, Frame::kReportsTaken) == 1; });

    fixture.change(job, job_stage::done);

    CHECK(fixture.up->node.scheduler().jobs().empty());
}

TEST_CASE("who is away when running tasks are to be ended is told when it is back") {
    room fixture(1);
    fixture.attach(1);
    const auto job = fixture.make({.function = "cmd.run"}, 1, 1).job;
    fixture.until([&] { return fixture.told(1, Frame::kTask) == 1; });
    fixture.leave(1);
    fixture.cancel_by_force(job);
    REQUIRE(fixture.told(1, Frame::kTaskSignal) == 0);

    fixture.attach(1);
    fixture.until([&] { return fixture.told(1, Frame::kTaskSignal) == 1; });

    CHECK(
        fixture.sent[1].back().task_signal().kind()
        == muster::agent_protocol::TaskSignal::KIND_CANCEL);
}

TEST_CASE("a job that finds no room waits for one that ends, and nothing waits behind it") {
    room fixture(2);
    fixture.stop();
    fixture.jobs_max = 1;
    fixture.start();
    fixture.attach(1);
    fixture.attach(2);
    const auto first = fixture.make({.function = "test.ping"}, 1, 1).job;
    fixture.until([&] { return fixture.told(1, Frame::kTask) == 1; });
    const auto second = fixture.make({.function = "test.ping"}, 2, 2).job;
    fixture.until([&] { return fixture.up->book.find(second) != nullptr; });

    fixture.report(1, room::report_of(job_id(12345), Report::OUTCOME_SUCCEEDED));
    fixture.until([&] { return fixture.told(1, Frame::kReportsTaken) == 1; });
    CHECK(fixture.told(2, Frame::kTask) == 0);
    CHECK_FALSE(fixture.up->node.loaded_epoch(second).has_value());
    fixture.report(1, room::report_of(first, Report::OUTCOME_SUCCEEDED));
    fixture.until([&] { return fixture.told(1, Frame::kReportsTaken) == 2; });
    fixture.change(first, job_stage::done);

    fixture.until([&] { return fixture.told(2, Frame::kTask) == 1; });
}

TEST_CASE("the wait before another attempt goes on when another process takes over") {
    room fixture(1);
    job_spec spec{.function = "cmd.run"};
    spec.rollout.retries = 1;
    spec.rollout.retry_wait = 1h;
    const auto job = fixture.make(std::move(spec), 1, 1).job;
    fixture.attach(1);
    fixture.until([&] { return fixture.told(1, Frame::kTask) == 1; });
    fixture.report(1, room::report_of(job, Report::OUTCOME_FAILED));
    fixture.until([&] { return fixture.told(1, Frame::kReportsTaken) == 1; });

    fixture.stop();
    fixture.start();
    fixture.attach(1);
    const auto response = [&] {
        return fixture.up->node.scheduler().report(job, fixture.clock.now());
    };
    fixture.until([&] { return response().has_value(); });

    const auto share = response();
    CHECK(share->queued == 1);
    CHECK(share->startable == 0);
    CHECK(fixture.told(1, Frame::kTask) == 1);
}

TEST_CASE("what an agent with a wrong clock says of its time is believed up to the time limit") {
    room fixture(1);
    fixture.attach(1);
    const job_spec work{
        .function = "cmd.run", .timeout = 60s, .windows = job_spec::window_rule::respect};
    const auto job = fixture.make(work, 1, 1).job;
    fixture.until([&] { return fixture.told(1, Frame::kTask) == 1; });
    auto report = room::report_of(job, Report::OUTCOME_SUCCEEDED);
    const auto now = fixture.clock.wall();
    report.set_started_us((now - std::chrono::hours(240)).time_since_epoch().count());
    report.set_ended_us(now.time_since_epoch().count());

    fixture.report(1, report);
    fixture.make(work, 1, 1);
    fixture.until([&] { return fixture.told(1, Frame::kTask) == 2; });

    CHECK(fixture.believed.samples == 1);
    CHECK(fixture.believed.mean == doctest::Approx(60));
}

}  // namespace
}  // namespace muster::dispatch
