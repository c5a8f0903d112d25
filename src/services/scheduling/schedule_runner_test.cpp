#include "services/scheduling/schedule_runner.h"

#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "adapters/os/time_zone_database.h"
#include "runtime/clock.h"
#include "services/schema/ledger_schema.h"
#include "tests/harness/run_sync.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace muster::scheduling {
namespace {

using namespace std::chrono_literals;
using harness::run_sync;

// Some runs cannot be started.
struct some_starts final : schedule_runner::starter {
    std::vector<std::string> started;
    std::vector<std::string> stuck;

    async<void> start(schedule_runner::run run) override {
        if (std::ranges::find(stuck, run.name) != stuck.end())
            co_return fail(errc::unavailable, "no ledger for " + run.name);
        started.push_back(run.name);
        co_return result<void>();
    }
    async<void> record_skipped(schedule_runner::run /*which*/, error /*why*/) override {
        co_return result<void>();
    }
    async<void> record_missed(std::string /*schedule*/, schedules::due_result /*due*/) override {
        co_return result<void>();
    }
};

// Three schedules that are due.
struct world {
    harness::temporary_directory where{"runner"};
    runtime::system_clock clock;
    runtime::logger log{{.level = runtime::log_level::error}};
    os::time_zone_database zones;
    std::unique_ptr<ledger> records =
        ledger_sqlite::open({.file = where.path() / "ledger.db"}).value();
    windows::window_store book{
        {.ledger = *records,
         .clock = clock,
         .zones = [this](std::string_view name) { return zones.find(name); },
         .log = log}};
    some_starts starts;
    schedule_runner runner{
        {.windows = book, .clock = clock, .log = log, .run_starter = starts}, "server-1"};

    world() {
        REQUIRE(run_sync(records->migrate(schema::ledger_schema())).has_value());
        for (const auto* const name : {"a", "b", "c"}) {
            windows::stored_schedule schedule;
            schedule.timing.cron = "* * * * *";
            schedule.query = "*";
            schedule.function = "test.ping";
            schedule.arguments = "[]";
            schedule.considered = clock.wall() - 2min;
            REQUIRE(run_sync(book.put_schedule(
                name, schedule, windows::window_store::write_mode::create, "admin")));
        }
    }
};

TEST_CASE("a schedule that cannot be started holds up no other, and it is said which") {
    world on;
    on.starts.stuck = {"a", "b"};

    const auto looked = run_sync(on.runner.run_once());

    CHECK(on.starts.started == std::vector<std::string>{"c"});
    REQUIRE_FALSE(looked);
    CHECK(looked.error().code() == errc::unavailable);
    CHECK(looked.error().detail() == "a: no ledger for a; b: no ledger for b");

    on.starts.stuck.clear();
    REQUIRE(run_sync(on.runner.run_once()));
    CHECK(std::ranges::count(on.starts.started, "a") == 1);
    CHECK(std::ranges::count(on.starts.started, "b") == 1);
}

}  // namespace
}  // namespace muster::scheduling
