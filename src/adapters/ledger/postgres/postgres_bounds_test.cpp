#include "adapters/ledger/postgres/connection.h"
#include "adapters/ledger/postgres/postgres_ledger.h"
#include "adapters/ledger/postgres/worker_pool.h"
#include "ports/contract/ledger_test_client.h"
#include "ports/contract/run_concurrently.h"
#include "runtime/clock.h"
#include "tests/harness/faulty_tcp_proxy.h"
#include "tests/harness/postgres_server.h"
#include "tests/harness/real_event_loop.h"

#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

// What a server that is slow, silent or unwilling may cost.
namespace muster::ledger_postgres {
namespace {

using boost::asio::awaitable;
using contract::machine;
using contract::one_write;
using namespace std::chrono_literals;

constexpr std::size_t many = 20;
constexpr auto slack = 1s;  // for a machine that is busy with other things

// A server behind a link, and a client of it with little patience and one thread for each kind of
// work, so that requests wait for each other.
struct stage {
    harness::real_event_loop world;
    harness::postgres_server server;
    harness::faulty_tcp_proxy link{server.port()};
    settings how = impatient();
    std::shared_ptr<ledger> store = ledger_postgres::open(how);

    settings impatient() const {
        settings result;
        result.address = server.address("postgres", link.port());
        result.tls = tls_mode::off;
        result.readers = 1;
        result.writers = 1;
        result.attempt = 400ms;
        result.timeout = 600ms;
        return result;
    }

    // Past the link, and with patience.
    connection probe() const {
        settings patient = how;
        patient.address = server.address("postgres");
        patient.attempt = 30s;
        auto result = connection::open(patient, in_time());
        REQUIRE_MESSAGE(result.has_value(), to_string(result.error()));
        return *std::move(result);
    }

    static instant in_time() { return runtime::monotonic_now() + 30s; }
};

awaitable<void> migrate(muster::ledger& ledger) {
    const auto migrated = co_await ledger.migrate(contract::scenario_schema());
    REQUIRE(migrated.has_value());
}

awaitable<void> read(muster::ledger& ledger, std::vector<error>& failures) {
    const auto page = co_await ledger.read(contract::all_of("machines"));
    if (!page) failures.push_back(page.error());
}

awaitable<void> read_many(muster::ledger& ledger, std::vector<error>& failures) {
    std::vector<awaitable<void>> work;
    for (std::size_t result = 0; result < many; ++result) work.push_back(read(ledger, failures));
    co_await contract::run_concurrently(std::move(work));
}

TEST_CASE("any number of reads of a silent server end when their patience does") {
    stage fixture;
    fixture.world.run(migrate(*fixture.store));
    std::vector<error> failures;

    fixture.link.stall();
    const instant moment = fixture.world.clock().now();
    fixture.world.run(read_many(*fixture.store, failures));
    const auto waited = fixture.world.clock().now() - moment;
    fixture.link.heal();

    CHECK(waited < fixture.how.timeout + slack);
    REQUIRE(failures.size() == many);
    for (const auto& failure : failures) CHECK(failure.code() == errc::unavailable);
    failures.clear();
    fixture.world.run(read(*fixture.store, failures));
    CHECK(failures.empty());
}

struct written {
    result<table::summary> outcome = fail(errc::cancelled);
};

awaitable<void> write(muster::ledger& ledger, table::batch change, written& to) {
    to.outcome = co_await ledger.write(std::move(change));
}

awaitable<void> run(connection& connection, std::string text) {
    REQUIRE(connection.run(text, stage::in_time()).has_value());
    co_return;
}

// The first stands in front of a lock until all the others wait behind it.
awaitable<void> write_all(
    muster::ledger& ledger,
    std::vector<table::batch> changes,
    std::vector<written>& outcomes,
    connection& holds_the_first) {
    std::vector<awaitable<void>> work;
    for (std::size_t at = 0; at < changes.size(); ++at)
        work.push_back(write(ledger, std::move(changes[at]), outcomes[at]));
    work.push_back(run(holds_the_first, "COMMIT"));
    co_await contract::run_concurrently(std::move(work));
}

table::row sample(std::int64_t id) {
    table::row cells(7, table::null{});
    cells[0] = id;
    return cells;
}

table::batch noted(const std::string& name, const std::string& note) {
    auto cells = machine(name, 1);
    cells[2] = note;
    return one_write("machines", {std::move(cells)});
}

TEST_CASE(
    "writes whose group was refused are not tried one by one for longer than their patience") {
    stage fixture;
    fixture.world.run(migrate(*fixture.store));
    auto holds_machines = fixture.probe();
    auto holds_samples = fixture.probe();
    fixture.world.run(run(holds_machines, "CREATE UNIQUE INDEX ON machines (note)"));
    fixture.world.run(run(holds_machines, "BEGIN; LOCK TABLE machines"));
    fixture.world.run(run(holds_samples, "BEGIN; LOCK TABLE samples"));
    std::vector<table::batch> changes{noted("web1", "taken"), noted("web2", "taken")};
    for (std::size_t result = 0; result < many; ++result)
        changes.push_back(one_write("samples", {sample(static_cast<std::int64_t>(result))}));
    std::vector<written> outcomes(changes.size());

    const instant moment = fixture.world.clock().now();
    fixture.world.run(write_all(*fixture.store, changes, outcomes, holds_machines));
    const auto waited = fixture.world.clock().now() - moment;

    CHECK(waited < fixture.how.timeout + fixture.how.attempt + slack);
    CHECK(outcomes[0].outcome.has_value());
    REQUIRE_FALSE(outcomes[1].outcome.has_value());
    CHECK(outcomes[1].outcome.error().code() == errc::conflict);
    for (std::size_t at = 2; at < outcomes.size(); ++at) {
        REQUIRE_FALSE(outcomes[at].outcome.has_value());
        const auto code = outcomes[at].outcome.error().code();
        CHECK((code == errc::unavailable || code == errc::timed_out));
    }
}

using pool_work = std::function<result<void>(connection& connection, instant deadline)>;

// Work of a pool with one thread that is refused once; what its later tries do is `later`.
pool_work refused_once(pool_work later) {
    return [later = std::move(later), refused = false](
               connection& connection, instant deadline) mutable -> result<void> {
        if (std::exchange(refused, true)) return later(connection, deadline);
        return fail(errc::unavailable, "the reason for the refusal");
    };
}

awaitable<void> perform(worker_pool& workers, pool_work what, result<void>& outcome) {
    const worker_pool::timeout one_second{.attempt = 30s, .start = 1s, .total = 1s};
    outcome = co_await workers.perform<void>(std::move(what), one_second);
}

TEST_CASE("a try that patience cuts short does not hide why the try before it failed") {
    stage fixture;
    fixture.how.attempt = 30s;
    worker_pool workers(fixture.how);
    result<void> connected;
    result<void> outcome;
    fixture.world.run(
        perform(workers, [](connection&, instant) { return result<void>(); }, connected));
    REQUIRE(connected.has_value());

    SUBCASE("while it waits for an answer") {
        const auto sleep = [](connection& connection, instant deadline) {
            return connection.run("SELECT pg_sleep(60)", deadline);
        };
        fixture.world.run(perform(workers, refused_once(sleep), outcome));
    }
    SUBCASE("while it connects") {
        const auto lose_connection = [&fixture](connection& connection, instant) -> result<void> {
            fixture.link.stall();
            ignore_error(connection.run("SELECT 1", runtime::monotonic_now()), "it is lost");
            return fail(errc::unavailable, "the reason for the refusal");
        };
        fixture.world.run(perform(workers, refused_once(lose_connection), outcome));
        fixture.link.heal();
    }

    REQUIRE_FALSE(outcome.has_value());
    CHECK(outcome.error().code() == errc::unavailable);
    CHECK(outcome.error().detail() == "the reason for the refusal");
}

TEST_CASE("a COPY the server refuses is told in its own words, and the connection goes on") {
    stage fixture;
    auto connection = fixture.probe();

    const auto refused =
        connection.copy_in("COPY nowhere FROM STDIN (FORMAT binary)", "", fixture.in_time());

    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code() == errc::invalid);
    CHECK(refused.error().detail().contains("42P01"));
    CHECK_FALSE(connection.broken());
    CHECK(connection.run("SELECT 1", fixture.in_time()).has_value());
}

}  // namespace
}  // namespace muster::ledger_postgres
