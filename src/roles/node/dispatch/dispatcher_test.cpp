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
    room in(3);
    const auto job = in.make({.function = "test.ping"}, 1, 3).job;
    in.attach(1);
    in.attach(2);
    in.until([&] { return in.told(1, Frame::kTask) == 1 && in.told(2, Frame::kTask) == 1; });
    CHECK(in.sent[1].front().task().function() == "test.ping");
    CHECK(in.told(3, Frame::kTask) == 0);

    in.report(1, room::report_of(job, Report::OUTCOME_SUCCEEDED));
    in.until([&] { return in.told(1, Frame::kReportsTaken) == 1; });

    CHECK(in.task(job, 1)->state == task_state::completed);
    CHECK(in.task(job, 1)->node == "alpha");
    CHECK_FALSE(in.task(job, 3).has_value());
    in.attach(3);
    in.until([&] { return in.told(3, Frame::kTask) == 1; });
}

TEST_CASE(
    "what was reported to a process that died is taken by the next one, and nothing is sent "
    "twice") {
    room in(2);
    const auto job = in.make({.function = "test.ping"}, 1, 2).job;
    in.attach(1);
    in.attach(2);
    in.until([&] { return in.told(2, Frame::kTask) == 1; });
    in.report(1, room::report_of(job, Report::OUTCOME_SUCCEEDED));
    in.until([&] { return in.told(1, Frame::kReportsTaken) == 1; });

    in.stop();
    in.start();
    in.attach(1);
    in.report(2, room::report_of(job, Report::OUTCOME_FAILED));
    in.attach(2);
    in.until([&] { return in.told(2, Frame::kReportsTaken) == 1; });

    CHECK(in.told(1, Frame::kTask) == 1);
    CHECK(in.task(job, 2)->state == task_state::failed);
    CHECK(in.task(job, 2)->reason.contains("code 0"));
}

TEST_CASE(
    "a report that comes twice is taken twice and counts once; one nobody asked for does not "
    "count") {
    room in(2);
    const auto job = in.make({.function = "test.ping"}, 1, 1).job;
    in.attach(1);
    in.attach(2);
    in.until([&] { return in.told(1, Frame::kTask) == 1; });
    in.report(1, room::report_of(job, Report::OUTCOME_SUCCEEDED));
    in.until([&] { return in.told(1, Frame::kReportsTaken) == 1; });
    in.report(2, room::report_of(job, Report::OUTCOME_SUCCEEDED));
    in.report(1, room::report_of(job, Report::OUTCOME_FAILED));
    in.until([&] { return in.told(1, Frame::kReportsTaken) == 2; });

    CHECK(in.task(job, 1)->state == task_state::completed);
    CHECK_FALSE(in.task(job, 2).has_value());
}

TEST_CASE("a task that goes on is on record as picked up, and a failed attempt is tried again") {
    room in(1);
    job_spec spec{.function = "cmd.run"};
    spec.rollout.retries = 1;
    spec.rollout.retry_wait = 1ms;
    const auto job = in.make(std::move(spec), 1, 1).job;
    in.attach(1);
    in.until([&] { return in.told(1, Frame::kTask) == 1; });
    Frame held;
    auto& one = *held.mutable_tasks_held()->add_held();
    one.mutable_task()->set_job(job.value());
    one.mutable_task()->set_attempt(1);
    in.say(1, std::move(held));
    in.until([&] { return in.task(job, 1).has_value(); });
    CHECK(in.task(job, 1)->state == task_state::picked_up);

    in.report(1, room::report_of(job, Report::OUTCOME_FAILED));
    in.until([&] { return in.told(1, Frame::kTask) == 2; });
    CHECK(in.sent[1].back().task().attempt() == 2);
    in.report(1, room::report_of(job, Report::OUTCOME_SUCCEEDED, 2));
    in.until([&] { return in.told(1, Frame::kReportsTaken) == 2; });
    CHECK(in.task(job, 1)->state == task_state::completed);
    CHECK(in.task(job, 1)->attempt == 2);
}

TEST_CASE("a node whose lease is not sure starts nothing, and goes on when it is") {
    room in(1);
    in.lease.lost();
    in.make({.function = "test.ping"}, 1, 1);
    in.attach(1);
    in.until([&] { return !in.up->node.scheduler().jobs().empty(); });
    CHECK(in.told(1, Frame::kTask) == 0);
    in.lease.confirmed(in.clock.now(), 1h);
    in.until([&] { return in.told(1, Frame::kTask) == 1; });
}

TEST_CASE("a node that is wiped drops what it held, and begins anew when it is taken in") {
    room in(1);
    const auto job = in.make({.function = "test.ping"}, 1, 1).job;
    in.attach(1);
    in.until([&] { return in.told(1, Frame::kTask) == 1; });
    in.up->node.wipe();
    CHECK(in.up->node.epoch() == 0);
    CHECK(in.up->node.scheduler().in_flight() == 0);
    CHECK_FALSE(in.up->node.loaded_epoch(job).has_value());
    in.until([&] { return in.up->node.loaded_epoch(job).has_value(); });
}

TEST_CASE("a job that heeds windows waits for each system's own, one that does not goes on") {
    room in(2);
    in.outside.add(system_number(2));
    in.make({.function = "test.ping", .windows = job_spec::window_rule::respect}, 1, 2);
    in.attach(1);
    in.attach(2);
    in.until([&] { return in.told(1, Frame::kTask) == 1; });
    in.make({.function = "test.ping", .windows = job_spec::window_rule::ignore}, 2, 2);
    in.until([&] { return in.told(2, Frame::kTask) == 1; });
    in.outside = {};
    in.until([&] { return in.told(2, Frame::kTask) == 2; });
}

TEST_CASE("work that took longer before than what is left of the window is not begun") {
    room in(1);
    in.recorded = {.mean = 3000, .deviation = 0, .samples = 6};
    in.window_seconds = 600;
    in.attach(1);
    in.make({.function = "cmd.run", .windows = job_spec::window_rule::respect}, 1, 1);
    in.make({.function = "test.ping", .windows = job_spec::window_rule::ignore}, 1, 1);
    in.until([&] { return in.told(1, Frame::kTask) == 1; });
    CHECK(in.sent[1].back().task().function() == "test.ping");

    in.window_seconds = 3600;

    in.until([&] { return in.told(1, Frame::kTask) == 2; });
    CHECK(in.sent[1].back().task().function() == "cmd.run");
}

TEST_CASE("a start that comes on record when the lease is gone is sent when it is sure again") {
    room in(2);
    const auto other = in.make({.function = "test.ping"}, 2, 2).job;
    in.attach(2);
    in.until([&] { return in.told(2, Frame::kTask) == 1; });
    job_spec spec{.function = "test.ping"};
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
    // What came on record later has been answered: so was this.
    in.report(2, room::report_of(other, Report::OUTCOME_SUCCEEDED));
    in.until([&] { return in.told(2, Frame::kReportsTaken) == 1; });
    CHECK(in.told(1, Frame::kTask) == 0);
    in.lease.confirmed(in.clock.now(), 1h);
    in.until([&] { return in.told(1, Frame::kTask) == 1; });
}

TEST_CASE("the same payload of two systems is fetched once, and both may drop it") {
    room in(2);
    const auto job = in.make({.function = "cmd.run"}, 1, 2).job;
    in.attach(1);
    in.attach(2);
    in.until([&] { return in.told(1, Frame::kTask) == 1 && in.told(2, Frame::kTask) == 1; });
    const std::string text(100'000, 'x');
    std::string packed(ZSTD_compressBound(text.size()), '\0');
    packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3));
    for (const unsigned system : {1U, 2U}) {
        auto report = room::report_of(job, Report::OUTCOME_SUCCEEDED);
        report.set_digest(pki::sha256(text));
        report.set_payload_size(text.size());
        in.report(system, std::move(report));
    }
    const auto request = [&] {
        return in.told(1, Frame::kPayloadWanted) + in.told(2, Frame::kPayloadWanted);
    };
    in.until([&] { return request() == 1; });
    const unsigned holder = in.told(1, Frame::kPayloadWanted) == 1 ? 1 : 2;
    Frame part;
    part.mutable_payload_part()->mutable_task()->set_job(job.value());
    part.mutable_payload_part()->mutable_task()->set_attempt(1);
    part.mutable_payload_part()->set_content(packed);
    part.mutable_payload_part()->set_last(true);
    in.say(holder, std::move(part));
    in.until([&] {
        return in.told(1, Frame::kPayloadTaken) == 1 && in.told(2, Frame::kPayloadTaken) == 1;
    });

    CHECK(request() == 1);
    const auto payload = run_sync(in.jobs.find_payload(job, pki::sha256(text))).value();
    CHECK(jobs::unpack(*payload).value() == text);
}

}  // namespace
}  // namespace muster::dispatch
