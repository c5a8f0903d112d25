#include "services/scheduling/job_window_service.h"

#include "services/jobs/job_tables.h"
#include "tests/fixtures/scheduling/scheduling_fixture.h"

#include <doctest/doctest.h>

namespace muster::scheduling {
namespace {

using namespace test;

TEST_CASE("an emergency that policy forbids is denied with a sentence") {
    scheduling_fixture fixture;
    const job_spec emergency{.windows = job_spec::window_rule::override};
    CHECK(fixture.window_service.check_override(emergency).has_value());
    REQUIRE(run_sync(fixture.windows.put_policy({.emergency_override = false}, "admin")));

    const auto denied = fixture.window_service.check_override(emergency);

    CHECK(denied.error().code() == errc::denied);
    CHECK(denied.error().detail().contains("policy"));
    CHECK(fixture.window_service.check_override({.windows = job_spec::window_rule::respect})
              .has_value());
}

TEST_CASE("a planned start outside of a window is refused with the windows to come") {
    scheduling_fixture fixture;
    job_spec spec{.windows = job_spec::window_rule::respect};
    spec.not_before = at_hour(20);
    CHECK(fixture.window_service.check_start(spec, both).has_value());
    spec.not_before = at_hour(15);

    const auto refused = fixture.window_service.check_start(spec, both);

    CHECK(refused.error().code() == errc::invalid);
    CHECK(refused.error().detail().contains("2026-11-16T20:00:00Z"));
    CHECK(refused.error().detail().contains("schedule \"nights\" of 2 systems"));
    CHECK(fixture.window_service.check_start(spec, {system_number(9)}).has_value());
}

// Six systems on which the same took 50 minutes.
void let_it_take_long(scheduling_fixture& fixture) {
    const auto job = fixture.create_job(std::nullopt, both);
    table::batch rows;
    table::write tasks{.table = std::string(jobs::tasks_table), .rows = {}};
    for (std::int64_t system = 1; system <= 6; ++system) {
        task_record row;
        row.job = job.job;
        row.system = system;
        row.state = task_state::completed;
        row.ended = fixture.clock.wall();
        row.picked_up = *row.ended - 50min;
        tasks.rows.push_back(jobs::encode_task(row));
    }
    rows.writes.push_back(std::move(tasks));
    REQUIRE(run_sync(fixture.ledger->write(std::move(rows))).has_value());
}

TEST_CASE("work that takes 50 minutes is not begun 10 minutes before its window's end") {
    scheduling_fixture fixture;
    let_it_take_long(fixture);
    const job_spec work{.function = "cmd.run", .arguments = R"({"cmd":"up"})"};

    fixture.clock.set(at_hour(20) + 5min);
    const auto in_time =
        run_sync(fixture.window_service.check_system(system_number(1), work)).value();
    fixture.clock.set(at_hour(20) + 50min);
    const auto too_late =
        run_sync(fixture.window_service.check_system(system_number(1), work)).value();

    CHECK_FALSE(in_time.reason.has_value());
    REQUIRE(too_late.reason.has_value());
    CHECK(too_late.reason->starts_with(
        "expected duration 50 min exceeds the rest of the open maintenance window (10 min); next "
        "window opens at 2026-11-17T20:00:00Z"));
    CHECK(too_late.opens == at_hour(44));
    CHECK(
        jobs::expected_duration(run_sync(fixture.durations.measure(work)).value())
        == std::chrono::seconds(50min));
}

TEST_CASE("work of which only the start must lie in a window is begun right up to its end") {
    scheduling_fixture fixture;
    let_it_take_long(fixture);
    const job_spec work{
        .function = "cmd.run",
        .arguments = R"({"cmd":"up"})",
        .windows = job_spec::window_rule::start};
    fixture.clock.set(at_hour(20) + 50min);

    CHECK_FALSE(run_sync(fixture.window_service.check_system(system_number(1), work))
                    .value()
                    .reason.has_value());
    fixture.clock.set(at_hour(21));
    const auto closed =
        run_sync(fixture.window_service.check_system(system_number(1), work)).value();
    CHECK(
        closed.reason
        == "no maintenance window is open; next window opens at 2026-11-17T20:00:00Z");
}

TEST_CASE("systems outside of their window wait for the next one, by schedule") {
    scheduling_fixture fixture;
    const job_spec work{.function = "cmd.run", .arguments = R"({"cmd":"up"})"};
    const auto systems = both | fleet::system_set{system_number(9)};
    const auto waiting = [&](const job_spec& spec) {
        return run_sync(fixture.window_service.find_waiting(spec, systems)).value();
    };

    CHECK(
        waiting(work)
        == std::vector<windows::window_wait>{
            {.schedule = "nights", .systems = 2, .opens = at_hour(20)}});
    CHECK(waiting({.windows = job_spec::window_rule::ignore}).empty());
    fixture.clock.set(at_hour(20) + 5min);
    CHECK(waiting(work).empty());
}

TEST_CASE("a forecast tells who has to wait, until when, and who would wait in vain") {
    scheduling_fixture fixture;
    jobs::job_plan job_plan;
    job_plan.spec = {.function = "cmd.run", .arguments = R"({"cmd":"up"})", .expires_after = 10h};
    job_plan.targets.systems = both | fleet::system_set{system_number(9)};
    const auto waiting = [&] {
        const auto forecast = *run_sync(fixture.window_service.forecast(job_plan)).value();
        return std::pair(forecast.waiting.count, forecast.waiting.opens);
    };
    CHECK(waiting() == std::pair<std::uint64_t, std::optional<wall_time>>(2, at_hour(20)));
    CHECK(fixture.window_service.find_scheduled(job_plan.targets.systems).value() == both);

    job_plan.spec.expires_after = 1h;
    const auto in_vain = *run_sync(fixture.window_service.forecast(job_plan)).value();
    CHECK(in_vain.counts.windows.empty());
    CHECK(in_vain.counts.rest.at(0).systems == 2);
    CHECK(in_vain.counts.without_schedule == 1);
    fixture.clock.set(at_hour(20));
    CHECK(waiting() == std::pair<std::uint64_t, std::optional<wall_time>>(0, std::nullopt));
}

TEST_CASE("a forecast counts with the time that such work took before") {
    scheduling_fixture fixture;
    let_it_take_long(fixture);
    jobs::job_plan job_plan;
    job_plan.spec = {.function = "cmd.run", .arguments = R"({"cmd":"up"})"};
    job_plan.spec.windows = job_spec::window_rule::respect;
    job_plan.targets.systems = both;
    job_plan.spec.expires_after = 72h;
    job_plan.concurrency = 1;

    const auto forecast = *run_sync(fixture.window_service.forecast(job_plan)).value();

    // One at a time, 50 minutes each, in windows of an hour: one a night.
    CHECK(forecast.expected == 3000s);
    REQUIRE(forecast.counts.windows.size() == 2);
    CHECK(forecast.counts.windows.at(0).finished == 1);
}

}  // namespace
}  // namespace muster::scheduling
