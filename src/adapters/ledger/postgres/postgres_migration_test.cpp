#include "adapters/ledger/postgres/postgres_ledger.h"
#include "ports/contract/ledger_test_client.h"
#include "ports/contract/run_concurrently.h"
#include "tests/fixtures/ledger/postgres_connection.h"
#include "tests/harness/faulty_tcp_proxy.h"
#include "tests/harness/real_event_loop.h"
#include "tests/harness/until.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

// Migrations that take longer than anybody would wait for an answer.
namespace muster::ledger_postgres {
namespace {

using boost::asio::awaitable;
using stage = migration_progress::stage;
using namespace std::chrono_literals;

// What was told of migrations, by the ledger's threads.
class diary {
public:
    void note(const migration_progress& migration_progress) {
        const std::lock_guard lock(mutex_);
        told_.push_back(migration_progress);
    }

    std::vector<migration_progress> told() const {
        const std::lock_guard lock(mutex_);
        return told_;
    }

    bool has(stage at, std::chrono::seconds taken = 0s) const {
        const auto all = told();
        return std::ranges::any_of(
            all, [&](const auto& one) { return one.at == at && one.taken >= taken; });
    }

private:
    mutable std::mutex mutex_;
    std::vector<migration_progress> told_;
};

// A server whose migration to the last version takes until the gate is opened, behind a link.
struct scene {
    harness::real_event_loop world;
    harness::postgres_server server;
    harness::faulty_tcp_proxy link{server.port()};
    connection gate = closed_gate();
    diary told;
    settings how = with_little_timeout();
    std::shared_ptr<ledger> store = ledger_postgres::open(how);
    result<void> outcome = fail(errc::cancelled);

    settings with_little_timeout() {
        settings result;
        result.address = server.address("postgres", link.port());
        result.tls = tls_mode::off;
        result.attempt = 2s;
        result.timeout = 2s;
        result.migration_timeout = 1s;
        result.poll_interval = 100ms;
        result.on_migration = [this](const migration_progress& migration_progress) {
            told.note(migration_progress);
        };
        return result;
    }

    connection closed_gate() const {
        auto result = connected_to(server);
        REQUIRE(result.run("SELECT pg_advisory_lock(1)", in_time()).has_value());
        return result;
    }

    static table::schema long_schema() {
        const std::string wait = "SET LOCAL lock_timeout = 0; SELECT pg_advisory_xact_lock(1)";
        auto desired = contract::scenario_schema();
        const auto next = static_cast<std::int64_t>(desired.migrations.size()) + 1;
        desired.migrations.push_back(
            {.version = next,
             .description = "as an index of a large table",
             .steps = {table::engine_sql{.postgres = wait, .sqlite = ""}}});
        return desired;
    }

    awaitable<void> migrate(muster::ledger& ledger, result<void>& to) {
        to = co_await ledger.migrate(long_schema());
    }

    // While it migrates: waits until that was told, then does something.
    awaitable<void> after(std::function<bool()> told_so, std::function<void()> then) {
        co_await harness::until(world.clock(), "progress is told", std::move(told_so));
        then();
    }

    void migrate_and(std::function<bool()> told_so, std::function<void()> then) {
        std::vector<awaitable<void>> work;
        work.push_back(migrate(*store, outcome));
        work.push_back(after(std::move(told_so), std::move(then)));
        world.run(contract::run_concurrently(std::move(work)));
    }

    void open_gate() { REQUIRE(gate.run("SELECT pg_advisory_unlock(1)", in_time())); }
};

TEST_CASE("a migration goes on for as long as the server works on it, and is told of") {
    scene fixture;
    const auto long_ago = [&fixture] {
        return fixture.told.has(stage::working, 3s);
    };

    fixture.migrate_and(long_ago, [&fixture] { fixture.open_gate(); });

    CHECK_MESSAGE(fixture.outcome.has_value(), to_string(fixture.outcome.error()));
    const auto response = fixture.told.told();
    CHECK(response.front().at == stage::begun);
    CHECK(response.front().version == 1);
    CHECK(response.back().at == stage::done);
    CHECK(response.back().what == "as an index of a large table");
}

TEST_CASE("a migration of a server that falls silent in its middle is given up") {
    scene fixture;

    fixture.migrate_and(
        [&fixture] { return fixture.told.has(stage::working); },
        [&fixture] { fixture.link.stall(); });
    fixture.link.heal();

    REQUIRE_FALSE(fixture.outcome.has_value());
    CHECK(fixture.outcome.error().code() == errc::unavailable);
    CHECK(fixture.told.told().back().at == stage::working);
}

TEST_CASE("a ledger that is closed does not wait for its migration, nor does the server go on") {
    scene fixture;

    fixture.migrate_and(
        [&fixture] { return fixture.told.has(stage::working); },
        [&fixture] { fixture.store.reset(); });

    REQUIRE_FALSE(fixture.outcome.has_value());
    CHECK(fixture.outcome.error().code() == errc::unavailable);
    const ledger_sql::statement waiting{
        .text = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted",
        .parameters = {}};
    const auto gone = [&] {
        const auto match = fixture.gate.execute(waiting, in_time());
        return match && match->rows() == 0;
    };
    fixture.world.run(harness::until(fixture.world.clock(), "its session is gone", gone));
}

TEST_CASE("a server waits for another one's migration however long that takes") {
    scene fixture;
    diary of_the_second;
    settings same = fixture.how;
    same.on_migration = [&of_the_second](const migration_progress& migration_progress) {
        of_the_second.note(migration_progress);
    };
    const auto second = ledger_postgres::open(same);
    result<void> outcome = fail(errc::cancelled);
    std::vector<awaitable<void>> work;
    work.push_back(fixture.migrate(*fixture.store, fixture.outcome));
    work.push_back(fixture.migrate(*second, outcome));
    const auto one_waits = [&] {
        return fixture.told.has(stage::waiting, 3s) || of_the_second.has(stage::waiting, 3s);
    };
    work.push_back(fixture.after(one_waits, [&fixture] { fixture.open_gate(); }));

    fixture.world.run(contract::run_concurrently(std::move(work)));

    CHECK(fixture.outcome.has_value());
    CHECK(outcome.has_value());
}

// Dropping a table takes until the gate is opened, too.
constexpr auto slow_drop =
    "CREATE FUNCTION at_the_gate() RETURNS event_trigger LANGUAGE plpgsql SET lock_timeout = 0 "
    "AS 'BEGIN PERFORM pg_advisory_xact_lock(1); END'; "
    "CREATE EVENT TRIGGER slow ON ddl_command_start WHEN TAG IN ('DROP TABLE') "
    "EXECUTE FUNCTION at_the_gate()";

awaitable<void> retire_an_event(muster::ledger& ledger, result<void>& outcome) {
    const auto migrated = co_await ledger.migrate(contract::scenario_schema());
    REQUIRE(migrated.has_value());
    const auto written =
        co_await ledger.write(contract::one_write("events", {contract::event(wall_time(), 1)}));
    REQUIRE(written.has_value());
    outcome = co_await ledger.drop_partitions("events", wall_time(24h));
}

TEST_CASE("old partitions may take longer to drop than is waited for a server that is away") {
    scene fixture;
    REQUIRE(fixture.gate.run(slow_drop, in_time()).has_value());
    const auto long_ago = [&fixture] {
        const auto match = fixture.gate.execute(
            {.text = "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'advisory' "
                     "AND clock_timestamp() - query_start > interval '3 s'",
             .parameters = {}},
            in_time());
        return match && match->rows() > 0;
    };
    std::vector<awaitable<void>> work;
    work.push_back(retire_an_event(*fixture.store, fixture.outcome));
    work.push_back(fixture.after(long_ago, [&fixture] { fixture.open_gate(); }));

    fixture.world.run(contract::run_concurrently(std::move(work)));

    CHECK_MESSAGE(fixture.outcome.has_value(), to_string(fixture.outcome.error()));
}

}  // namespace
}  // namespace muster::ledger_postgres
