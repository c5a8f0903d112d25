#include "core/events/event_row.h"
#include "services/compatibility/action_tables.h"
#include "services/jobs/job_tables.h"
#include "tests/fixtures/retention/retention_fixture.h"

#include <doctest/doctest.h>

#include <vector>

namespace muster::retention::aging {
namespace {

TEST_CASE("whole weeks go when they are old enough, with all that belongs to them") {
    on_both_engines([](retention_fixture& fixture) {
        fixture.clock.today = first_day + 1h;
        fixture.create_job(job_stage::done);
        fixture.create_job(job_stage::expired);
        fixture.clock.today = first_day + 7 * day;
        const auto stored = fixture.create_job(job_stage::done);

        fixture.clock.today = first_day + 97 * day - 1h;
        CHECK(fixture.prune() == 0);
        CHECK(fixture.counts() == std::vector<std::size_t>{3, 3, 30, 2, 2});

        fixture.clock.today = first_day + 97 * day;
        CHECK(fixture.prune() == 1);
        CHECK(fixture.counts() == std::vector<std::size_t>{1, 1, 10, 1, 1});
        CHECK(run_sync(fixture.jobs->find(stored)).has_value());

        fixture.clock.today = first_day + 900 * day;
        CHECK(fixture.prune() == 1);
        CHECK(fixture.counts() == std::vector<std::size_t>{0, 0, 0, 0, 0});
        CHECK(fixture.count(events::events_table) == 0);
        CHECK(fixture.prune() == 0);
    });
}

TEST_CASE("numbers of jobs go with them, and those of other things stay") {
    on_both_engines([](retention_fixture& fixture) {
        fixture.clock.today = first_day + 1h;
        const auto old = fixture.create_job(job_stage::done);
        fixture.clock.today = first_day + 7 * day;
        const auto stored = fixture.create_job(job_stage::done);
        table::write numbers{.table = std::string(compatibility::numbers_table), .rows = {}};
        const auto add = [&](std::string kind, std::string name, std::int64_t number) {
            numbers.rows.push_back({std::move(kind), std::move(name), number, std::int64_t{0}});
        };
        add("action", to_string(old), 1);
        add("action", to_string(old) + "/1/7", 2);
        add("action", to_string(stored), 3);
        add("group", "0", 1);
        table::batch change;
        change.writes.push_back(std::move(numbers));
        REQUIRE(run_sync(fixture.jobs->ledger().write(std::move(change))).has_value());

        fixture.clock.today = first_day + 97 * day;
        CHECK(fixture.prune() == 1);
        CHECK(fixture.count(compatibility::numbers_table) == 2);
    });
}

TEST_CASE("a job that is open, and one that it waits for, are never dropped") {
    on_both_engines([](retention_fixture& fixture) {
        fixture.clock.today = first_day;
        const auto parent = fixture.create_job(job_stage::done);
        fixture.clock.today = first_day + 30 * day;
        const auto open = fixture.create_job(job_stage::open, {parent});
        fixture.clock.today = first_day + 900 * day;

        CHECK(fixture.prune() == 0);
        CHECK(fixture.counts() == std::vector<std::size_t>{2, 2, 20, 2, 2});

        const auto end = [](job_record job) -> result<job_record> {
            job.stage = job_stage::expired;
            return job;
        };
        REQUIRE(run_sync(fixture.jobs->change(open, end)).has_value());
        CHECK(fixture.prune() == 2);
        CHECK(fixture.counts() == std::vector<std::size_t>{0, 0, 0, 0, 0});
    });
}

TEST_CASE("kept for ever means that nothing goes") {
    retention_fixture fixture(engine::sqlite);
    fixture.create_job(job_stage::done);
    fixture.clock.today = first_day + 9'000 * day;
    job_record_pruner keeper(
        {.jobs = *fixture.jobs,
         .clock = fixture.clock,
         .log = fixture.log,
         .schema = schema::ledger_schema()},
        {.keep = std::chrono::hours(0)});

    CHECK(run_sync(keeper.prune()).value() == 0);
    CHECK(fixture.count(jobs::jobs_table) == 1);
}

}  // namespace
}  // namespace muster::retention::aging
