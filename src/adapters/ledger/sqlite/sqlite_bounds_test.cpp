#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "adapters/sqlite/transaction.h"
#include "ports/contract/ledger_test_client.h"
#include "ports/contract/run_concurrently.h"
#include "tests/harness/real_event_loop.h"
#include "tests/harness/run_sync.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

// What may wait for a file that cannot be written at the moment.
namespace muster::ledger_sqlite {
namespace {

using boost::asio::awaitable;

constexpr std::size_t note_bytes = 10'000;

table::batch noted(const std::string& name) {
    auto cells = contract::machine(name, 1);
    cells[2] = std::string(note_bytes, 'x');
    return contract::one_write("machines", {std::move(cells)});
}

using outcomes = std::vector<result<table::summary>>;

awaitable<void> write(ledger& to, std::string name, result<table::summary>& outcome) {
    outcome = co_await to.write(noted(name));
}

awaitable<void> let_go(std::optional<sqlite::transaction>& lock) {
    lock.reset();
    co_return;
}

// They are asked for while somebody else holds the file, who lets go when all have been.
awaitable<void> write_behind(
    ledger& to, std::optional<sqlite::transaction>& lock, outcomes& answers) {
    std::vector<awaitable<void>> work;
    for (std::size_t at = 0; at < answers.size(); ++at)
        work.push_back(write(to, "web" + std::to_string(at), answers[at]));
    work.push_back(let_go(lock));
    co_await contract::run_concurrently(std::move(work));
}

TEST_CASE(
    "writes that wait are bounded by their bytes, and those there is no room for are counted") {
    const harness::temporary_directory directory("ledger-sqlite-bytes");
    const auto file = directory.path() / "a.db";
    const auto opened = ledger_sqlite::open({.file = file, .queue_bytes_max = 5 * note_bytes / 2});
    REQUIRE(opened.has_value());
    muster::ledger& ledger = **opened;
    REQUIRE(harness::run_sync(ledger.migrate(contract::scenario_schema())).has_value());
    auto beside = sqlite::database::open({.file = file});
    REQUIRE(beside.has_value());
    auto held = sqlite::transaction::begin(*beside);
    REQUIRE(held.has_value());
    std::optional<sqlite::transaction> lock(*std::move(held));
    outcomes answers(4, fail(errc::cancelled));

    harness::real_event_loop().run(write_behind(ledger, lock, answers));

    CHECK(answers[0].has_value());
    CHECK(answers[1].has_value());
    for (const std::size_t refused : {2U, 3U}) {
        REQUIRE_FALSE(answers[refused].has_value());
        CHECK(answers[refused].error().code() == errc::unavailable);
    }
    CHECK(ledger.hits().refused == 2);
    CHECK(harness::run_sync(ledger.write(noted("web2"))).has_value());
}

}  // namespace
}  // namespace muster::ledger_sqlite
