#include "roles/node/dispatch/dispatcher.h"

#include "adapters/pki/fingerprint.h"
#include "roles/node/dispatch/dispatcher_fixture.h"
#include "services/jobs/payload_text.h"
#include "tests/harness/run_sync.h"

#include <doctest/doctest.h>

#include <string>
#include <zstd.h>

namespace muster::dispatch {
namespace {

using harness::run_sync;

TEST_CASE("a job reaches those who are attached, and a report is on record before it is taken") {
    room fixture(3);
    const auto job = fixture.make({.function = "test.ping"}, 1, 3).job;
    fixture.attach(1);
    fixture.attach(2);
    fixture.until(
        [&] { return fixture.told(1, Frame::kTask) == 1 && fixture.told(2, Frame::kTask) == 1; });
    CHECK(fixture.sent[1].front().task().function() == "test.ping");
    CHECK(fixture.told(3, Frame::kTask) == 0);

    fixture.report(1, room::report_of(job, Report::OUTCOME_SUCCEEDED));
    fixture.until([&] { return fixture.told(1, Frame::kReportsTaken) == 1; });

    CHECK(fixture.task(job, 1)->state == task_state::completed);
    CHECK(fixture.task(job, 1)->node == "alpha");
    CHECK_FALSE(fixture.task(job, 3).has_value());
    fixture.attach(3);
    fixture.until([&] { return fixture.told(3, Frame::kTask) == 1; });
}

TEST_CASE(
    "what was reported to a process that died is taken by the next one, and nothing is sent "
    "twice") {
    room fixture(2);
    const auto job = fixture.make({.function = "test.ping"}, 1, 2).job;
    fixture.attach(1);
    fixture.attach(2);
    fixture.until([&] { return fixture.told(2, Frame::kTask) == 1; });
    fixture.report(1, room::report_of(job, Report::OUTCOME_SUCCEEDED));
    fixture.until([&] { return fixture.told(1, Frame::kReportsTaken) == 1; });

    fixture.stop();
    fixture.start();
    fixture.attach(1);
    fixture.report(2, room::report_of(job, Report::OUTCOME_FAILED));
    fixture.attach(2);
    fixture.until([&] { return fixture.told(2, Frame::kReportsTaken) == 1; });

    CHECK(fixture.told(1, Frame::kTask) == 1);
    CHECK(fixture.task(job, 2)->state == task_state::failed);
    CHECK(fixture.task(job, 2)->reason.contains("code 0"));
}

TEST_CASE(
    "a report that comes twice is taken twice and counts once; one nobody asked for does not "
    "count") {
    room fixture(2);
    const auto job = fixture.make({.function = "test.ping"}, 1, 1).job;
    fixture.attach(1);
    fixture.attach(2);
    fixture.until([&] { return fixture.told(1, Frame::kTask) == 1; });
    fixture.report(1, room::report_of(job, Report::OUTCOME_SUCCEEDED));
    fixture.until([&] { return fixture.told(1, Frame::kReportsTaken) == 1; });
    fixture.report(2, room::report_of(job, Report::OUTCOME_SUCCEEDED));
    fixture.report(1, room::report_of(job, Report::OUTCOME_FAILED));
    fixture.until([&] { return fixture.told(1, Frame::kReportsTaken) == 2; });

    CHECK(fixture.task(job, 1)->state == task_state::completed);
    CHECK_FALSE(fixture.task(job, 2).has_value());
}

TEST_CASE("a task that goes on is on record as picked up, and a failed attempt is tried again") {
    room fixture(1);
    job_spec spec{.function = "cmd.run"};
    spec.rollout.retries = 1;
    spec.rollout.retry_wait = 1ms;
    const auto job = fixture.make(std::move(spec), 1, 1).job;
    fixture.attach(1);
    fixture.until([&] { return fixture.told(1, Frame::kTask) == 1; });
    Frame held;
    auto& one = *held.mutable_tasks_held()->add_held();
    one.mutable_task()->set_job(job.value());
    one.mutable_task()->set_attempt(1);
    fixture.say(1, std::move(held));
    fixture.until([&] { return fixture.task(job, 1).has_value(); });
    CHECK(fixture.task(job, 1)->state == task_state::picked_up);

    fixture.report(1, room::report_of(job, Report::OUTCOME_FAILED));
    fixture.until([&] { return fixture.told(1, Frame::kTask) == 2; });
    CHECK(fixture.sent[1].back().task().attempt() == 2);
    fixture.report(1, room::report_of(job, Report::OUTCOME_SUCCEEDED, 2));
    fixture.until([&] { return fixture.told(1, Frame::kReportsTaken) == 2; });
    CHECK(fixture.task(job, 1)->state == task_state::completed);
    CHECK(fixture.task(job, 1)->attempt == 2);
}

TEST_CASE("a node whose lease is not sure starts nothing, and goes on when it is") {
    room fixture(1);
    fixture.lease.lost();
    fixture.make({.function = "test.ping"}, 1, 1);
    fixture.attach(1);
    fixture.until([&] { return !fixture.up->node.scheduler().jobs().empty(); });
    CHECK(fixture.told(1, Frame::kTask) == 0);
    fixture.lease.confirmed(fixture.clock.now(), 1h);
    fixture.until([&] { return fixture.told(1, Frame::kTask) == 1; });
}

TEST_CASE("a node that is wiped drops what it held, and begins anew when it is taken in") {
    room fixture(1);
    const auto job = fixture.make({.function = "test.ping"}, 1, 1).job;
    fixture.attach(1);
    fixture.until([&] { return fixture.told(1, Frame::kTask) == 1; });
    fixture.up->node.wipe();
    CHECK(fixture.up->node.epoch() == 0);
    CHECK(fixture.up->node.scheduler().in_flight() == 0);
    CHECK_FALSE(fixture.up->node.loaded_epoch(job).has_value());
    fixture.until([&] { return fixture.up->node.loaded_epoch(job).has_value(); });
}

TEST_CASE("a job that heeds windows waits for each system's own, one that does not goes on") {
    room fixture(2);
    fixture.outside.add(system_number(2));
    fixture.make({.function = "test.ping", .windows = job_spec::window_rule::respect}, 1, 2);
    fixture.attach(1);
    fixture.attach(2);
    fixture.until([&] { return fixture.told(1, Frame::kTask) == 1; });
    fixture.make({.function = "test.ping", .windows = job_spec::window_rule::ignore}, 2, 2);
    fixture.until([&] { return fixture.told(2, Frame::kTask) == 1; });
    fixture.outside = {};
    fixture.until([&] { return fixture.told(2, Frame::kTask) == 2; });
}

TEST_CASE("work that took longer before than what is left of the window is not begun") {
    room fixture(1);
    fixture.recorded = {.mean = 3000, .deviation = 0, .samples = 6};
    fixture.window_seconds = 600;
    fixture.attach(1);
    fixture.make({.function = "cmd.run", .windows = job_spec::window_rule::respect}, 1, 1);
    fixture.make({.function = "test.ping", .windows = job_spec::window_rule::ignore}, 1, 1);
    fixture.until([&] { return fixture.told(1, Frame::kTask) == 1; });
    CHECK(fixture.sent[1].back().task().function() == "test.ping");

    fixture.window_seconds = 3600;

    fixture.until([&] { return fixture.told(1, Frame::kTask) == 2; });
    CHECK(fixture.sent[1].back().task().function() == "cmd.run");
}

TEST_CASE("a start that comes on record when the lease is gone is sent when it is sure again") {
    room fixture(2);
    const auto other = fixture.make({.function = "test.ping"}, 2, 2).job;
    fixture.attach(2);
    fixture.until([&] { return fixture.told(2, Frame::kTask) == 1; });
    job_spec spec{.function = "test.ping"};
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
    // What came on record later has been answered: so was this.
    fixture.report(2, room::report_of(other, Report::OUTCOME_SUCCEEDED));
    fixture.until([&] { return fixture.told(2, Frame::kReportsTaken) == 1; });
    CHECK(fixture.told(1, Frame::kTask) == 0);
    fixture.lease.confirmed(fixture.clock.now(), 1h);
    fixture.until([&] { return fixture.told(1, Frame::kTask) == 1; });
}

TEST_CASE("the same payload of two systems is fetched once, and both may drop it") {
    room fixture(2);
    const auto job = fixture.make({.function = "cmd.run"}, 1, 2).job;
    fixture.attach(1);
    fixture.attach(2);
    fixture.until(
        [&] { return fixture.told(1, Frame::kTask) == 1 && fixture.told(2, Frame::kTask) == 1; });
    const std::string text(100'000, 'x');
    std::string packed(ZSTD_compressBound(text.size()), '\0');
    packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3));
    for (const unsigned system : {1U, 2U}) {
        auto report = room::report_of(job, Report::OUTCOME_SUCCEEDED);
        report.set_digest(pki::sha256(text));
        report.set_payload_size(text.size());
        fixture.report(system, std::move(report));
    }
    const auto request = [&] {
        return fixture.told(1, Frame::kPayloadWanted) + fixture.told(2, Frame::kPayloadWanted);
    };
    fixture.until([&] { return request() == 1; });
    const unsigned holder = fixture.told(1, Frame::kPayloadWanted) == 1 ? 1 : 2;
    Frame part;
    part.mutable_payload_part()->mutable_task()->set_job(job.value());
    part.mutable_payload_part()->mutable_task()->set_attempt(1);
    part.mutable_payload_part()->set_content(packed);
    part.mutable_payload_part()->set_last(true);
    fixture.say(holder, std::move(part));
    fixture.until([&] {
        return fixture.told(1, Frame::kPayloadTaken) == 1
               && fixture.told(2, Frame::kPayloadTaken) == 1;
    });

    CHECK(request() == 1);
    const auto payload = run_sync(fixture.jobs.find_payload(job, pki::sha256(text))).value();
    CHECK(jobs::unpack(*payload).value() == text);
}

}  // namespace
}  // namespace muster::dispatch
