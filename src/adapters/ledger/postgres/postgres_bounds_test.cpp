#include "adapters/ledger/postgres/connection.h"
#include "adapters/ledger/postgres/postgres_ledger.h"
#include "adapters/ledger/postgres/worker_pool.h"
#include "ports/contract/ledger_test_client.h"
#include "ports/contract/together.h"
#include "runtime/clock.h"
#include "tests/harness/faulty_tcp_proxy.h"
#include "tests/harness/postgres_server.h"
#include "tests/harness/real_event_loop.h"

#include <doctest/doctest.h>

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
        result.patience = 600ms;
        return result;
    }

    // Past the link, and with patience.
    connection beside() const {
        settings patient = how;
        patient.address = server.address("postgres");
        patient.attempt = 30s;
        auto result = connection::open(patient, in_time());
        REQUIRE_MESSAGE(result.has_value(), to_string(result.error()));
        return *std::move(result);
    }

    static instant in_time() { return runtime::monotonic_now() + 30s; }
};

awaitable<void> migrate(ledger& store) {
    const auto migrated = co_await store.migrate(contract::scenario_schema());
    REQUIRE(migrated.has_value());
}

awaitable<void> read(ledger& store, std::vector<error>& failures) {
    const auto page = co_await store.read(contract::all_of("machines"));
    if (!page) failures.push_back(page.error());
}

awaitable<void> read_many(ledger& store, std::vector<error>& failures) {
    std::vector<awaitable<void>> work;
    for (std::size_t result = 0; result < many; ++result) work.push_back(read(store, failures));
    co_await contract::together(std::move(work));
}

TEST_CASE("any number of reads of a silent server end when their patience does") {
    stage on;
    on.world.run(migrate(*on.store));
    std::vector<error> failures;

    on.link.stall();
    const instant moment = on.world.time().now();
    on.world.run(read_many(*on.store, failures));
    const auto waited = on.world.time().now() - moment;
    on.link.heal();

    CHECK(waited < on.how.patience + slack);
    REQUIRE(failures.size() == many);
    for (const auto& failure : failures) CHECK(failure.code() == errc::unavailable);
    failures.clear();
    on.world.run(read(*on.store, failures));
    CHECK(failures.empty());
}

struct written {
    result<table::summary> outcome = fail(errc::cancelled);
};

awaitable<void> write(ledger& store, table::batch change, written& to) {
    to.outcome = co_await store.write(std::move(change));
}

awaitable<void> run(connection& on, std::string text) {
    REQUIRE(on.run(text, stage::in_time()).has_value());
    co_return;
}

// The first stands in front of a lock until all the others wait behind it.
awaitable<void> write_all(
    ledger& store,
    std::vector<table::batch> changes,
    std::vector<written>& outcomes,
    connection& holds_the_first) {
    std::vector<awaitable<void>> work;
    for (std::size_t at = 0; at < changes.size(); ++at)
        work.push_back(write(store, std::move(changes[at]), outcomes[at]));
    work.push_back(run(holds_the_first, "COMMIT"));
    co_await contract::together(std::move(work));
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
    stage on;
    on.world.run(migrate(*on.store));
    auto holds_machines = on.beside();
    auto holds_samples = on.beside();
    on.world.run(run(holds_machines, "CREATE UNIQUE INDEX ON machines (note)"));
    on.world.run(run(holds_machines, "BEGIN; LOCK TABLE machines"));
    on.world.run(run(holds_samples, "BEGIN; LOCK TABLE samples"));
    std::vector<table::batch> changes{noted("web1", "taken"), noted("web2", "taken")};
    for (std::size_t result = 0; result < many; ++result)
        changes.push_back(one_write("samples", {sample(static_cast<std::int64_t>(result))}));
    std::vector<written> outcomes(changes.size());

    const instant moment = on.world.time().now();
    on.world.run(write_all(*on.store, changes, outcomes, holds_machines));
    const auto waited = on.world.time().now() - moment;

    CHECK(waited < on.how.patience + on.how.attempt + slack);
    CHECK(outcomes[0].outcome.has_value());
    REQUIRE_FALSE(outcomes[1].outcome.has_value());
    CHECK(outcomes[1].outcome.error().code() == errc::conflict);
    for (std::size_t at = 2; at < outcomes.size(); ++at) {
        REQUIRE_FALSE(outcomes[at].outcome.has_value());
        const auto code = outcomes[at].outcome.error().code();
        CHECK((code == errc::unavailable || code == errc::timed_out));
    }
}

// Work of a pool with one thread that is refused once; what its later tries do is `later`.
worker_pool::work<void> refused_once(worker_pool::work<void> later) {
    return [later = std::move(later), refused = false](
               connection& on, instant deadline) mutable -> result<void> {
        if (std::exchange(refused, true)) return later(on, deadline);
        return fail(errc::unavailable, "the reason for the refusal");
    };
}

awaitable<void> perform(worker_pool& through, worker_pool::work<void> what, result<void>& outcome) {
    const worker_pool::patience one_second{.each_try = 30s, .to_begin = 1s, .in_all = 1s};
    outcome = co_await through.perform<void>(std::move(what), one_second);
}

TEST_CASE("a try that patience cuts short does not hide why the try before it failed") {
    stage on;
    on.how.attempt = 30s;
    worker_pool workers(on.how);
    result<void> connected;
    result<void> outcome;
    on.world.run(perform(workers, [](connection&, instant) { return result<void>(); }, connected));
    REQUIRE(connected.has_value());

    SUBCASE("while it waits for an answer") {
        const auto sleep = [](connection& through, instant deadline) {
            return through.run("SELECT pg_sleep(60)", deadline);
        };
        on.world.run(perform(workers, refused_once(sleep), outcome));
    }
    SUBCASE("while it connects") {
        const auto lose_connection = [&on](connection& through, instant) -> result<void> {
            on.link.stall();
            ignore_error(through.run("SELECT 1", runtime::monotonic_now()), "it is lost");
            return fail(errc::unavailable, "the reason for the refusal");
        };
        on.world.run(perform(workers, refused_once(lose_connection), outcome));
        on.link.heal();
    }

    REQUIRE_FALSE(outcome.has_value());
    CHECK(outcome.error().code() == errc::unavailable);
    CHECK(outcome.error().detail() == "the reason for the refusal");
}

TEST_CASE("a COPY the server refuses is told in its own words, and the connection goes on") {
    stage on;
    auto through = on.beside();

    const auto refused =
        through.copy_in("COPY nowhere FROM STDIN (FORMAT binary)", "", on.in_time());

    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code() == errc::invalid);
    CHECK(refused.error().detail().contains("42P01"));
    CHECK_FALSE(through.broken());
    CHECK(through.run("SELECT 1", on.in_time()).has_value());
}

}  // namespace
}  // namespace muster::ledger_postgres
