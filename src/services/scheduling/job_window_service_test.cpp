#include "services/scheduling/job_window_service.h"

#include "services/jobs/job_tables.h"
#include "tests/fixtures/scheduling/scheduling_fixture.h"

#include <doctest/doctest.h>

namespace muster::scheduling {
namespace {

using namespace test;

TEST_CASE("an emergency that policy forbids is denied with a sentence") {
    scheduling_fixture on;
    const job_spec emergency{.windows = job_spec::window_rule::override};
    CHECK(on.sense.check_override(emergency).has_value());
    REQUIRE(run_sync(on.windows.put_policy({.emergency_override = false}, "admin")));

    const auto denied = on.sense.check_override(emergency);

    CHECK(denied.error().code() == errc::denied);
    CHECK(denied.error().detail().contains("policy"));
    CHECK(on.sense.check_override({.windows = job_spec::window_rule::respect}).has_value());
}

TEST_CASE("a planned start outside of a window is refused with the windows to come") {
    scheduling_fixture on;
    job_spec spec{.windows = job_spec::window_rule::respect};
    spec.not_before = at_hour(20);
    CHECK(on.sense.check_start(spec, both).has_value());
    spec.not_before = at_hour(15);

    const auto refused = on.sense.check_start(spec, both);

    CHECK(refused.error().code() == errc::invalid);
    CHECK(refused.error().detail().contains("2026-11-16T20:00:00Z"));
    CHECK(refused.error().detail().contains("2 systems with the schedule nights"));
    CHECK(on.sense.check_start(spec, {system_number(9)}).has_value());
}

// Six systems on which the same took 50 minutes.
void let_it_take_long(scheduling_fixture& on) {
    const auto job = on.make(std::nullopt, both);
    table::batch rows;
    table::write tasks{.table = std::string(jobs::tasks_table), .rows = {}};
    for (std::int64_t system = 1; system <= 6; ++system) {
        task_record row;
        row.job = job.job;
        row.system = system;
        row.state = task_state::completed;
        row.ended = on.clock.wall();
        row.picked_up = *row.ended - 50min;
        tasks.rows.push_back(jobs::encode_task(row));
    }
    rows.writes.push_back(std::move(tasks));
    REQUIRE(run_sync(on.records->write(std::move(rows))).has_value());
}

TEST_CASE("work that takes 50 minutes is not begun 10 minutes before its window's end") {
    scheduling_fixture on;
    let_it_take_long(on);
    const job_spec work{.function = "cmd.run", .arguments = R"({"cmd":"up"})"};

    on.clock.set(at_hour(20) + 5min);
    const auto in_time = run_sync(on.sense.of(system_number(1), work)).value();
    on.clock.set(at_hour(20) + 50min);
    const auto too_late = run_sync(on.sense.of(system_number(1), work)).value();

    CHECK_FALSE(in_time.why.has_value());
    REQUIRE(too_late.why.has_value());
    CHECK(too_late.why->starts_with(
        "it is expected to take 50 min, and the window has 10 min left; the next one opens at "
        "2026-11-17T20:00:00Z"));
    CHECK(too_late.opens == at_hour(44));
    CHECK(
        jobs::expected_of(run_sync(on.durations.measure(work)).value())
        == std::chrono::seconds(50min));
}

TEST_CASE("work of which only the start must lie in a window is begun right up to its end") {
    scheduling_fixture on;
    let_it_take_long(on);
    const job_spec work{
        .function = "cmd.run",
        .arguments = R"({"cmd":"up"})",
        .windows = job_spec::window_rule::start};
    on.clock.set(at_hour(20) + 50min);

    CHECK_FALSE(run_sync(on.sense.of(system_number(1), work)).value().why.has_value());
    on.clock.set(at_hour(21));
    const auto closed = run_sync(on.sense.of(system_number(1), work)).value();
    CHECK(closed.why == "no window is open; the next one opens at 2026-11-17T20:00:00Z");
}

TEST_CASE("a forecast tells who has to wait, until when, and who would wait in vain") {
    scheduling_fixture on;
    jobs::job_plan job_plan;
    job_plan.spec = {.function = "cmd.run", .arguments = R"({"cmd":"up"})", .expires_after = 10h};
    job_plan.who.targets = both | fleet::system_set{system_number(9)};
    const auto waiting = [&] {
        const auto forecast = *run_sync(on.sense.foresee(job_plan)).value();
        return std::pair(forecast.waiting.count, forecast.waiting.opens);
    };
    CHECK(waiting() == std::pair<std::uint64_t, std::optional<wall_time>>(2, at_hour(20)));
    CHECK(on.sense.with_schedule(job_plan.who.targets).value() == both);

    job_plan.spec.expires_after = 1h;
    const auto in_vain = *run_sync(on.sense.foresee(job_plan)).value();
    CHECK(in_vain.counts.windows.empty());
    CHECK(in_vain.counts.rest.at(0).systems == 2);
    CHECK(in_vain.counts.without_schedule == 1);
    on.clock.set(at_hour(20));
    CHECK(waiting() == std::pair<std::uint64_t, std::optional<wall_time>>(0, std::nullopt));
}

TEST_CASE("a forecast counts with the time that such work took before") {
    scheduling_fixture on;
    let_it_take_long(on);
    jobs::job_plan job_plan;
    job_plan.spec = {.function = "cmd.run", .arguments = R"({"cmd":"up"})"};
    job_plan.spec.windows = job_spec::window_rule::respect;
    job_plan.who.targets = both;
    job_plan.spec.expires_after = 72h;
    job_plan.places = 1;

    const auto forecast = *run_sync(on.sense.foresee(job_plan)).value();

    // One at a time, 50 minutes each, in windows of an hour: one a night.
    CHECK(forecast.expected == 3000s);
    REQUIRE(forecast.counts.windows.size() == 2);
    CHECK(forecast.counts.windows.at(0).finished == 1);
}

}  // namespace
}  // namespace muster::scheduling
