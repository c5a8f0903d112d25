#include "services/compatibility/action_chain_store.h"

#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "runtime/clock.h"
#include "services/schema/ledger_schema.h"
#include "tests/harness/run_sync.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

#include <memory>

namespace muster::compatibility {
namespace {

using harness::run_sync;

struct world {
    harness::temporary_directory where{"chains"};
    runtime::system_clock clock;
    std::unique_ptr<ledger> records =
        ledger_sqlite::open({.file = where.path() / "ledger.db"}).value();
    action_chain_store book{*records, clock};

    world() { REQUIRE(run_sync(records->migrate(schema::ledger_schema())).has_value()); }

    result<void> add(const std::string& label) {
        return run_sync(book.add({.owner = "ada", .label = label, .number = 7}));
    }
};

chain_entry ping(std::int64_t number) {
    return {
        .number = number,
        .system = 3,
        .name = "there?",
        .function = "test.ping",
        .arguments = "{}",
        .timeout_seconds = 5,
        .added = wall_time(std::chrono::microseconds(1'700'000'000'000'001))};
}

TEST_CASE("a chain reads back as it was written, and what is none is corrupt") {
    action_chain chain{.owner = {}, .label = {}, .number = 9, .entries = {ping(1), ping(2)}};
    chain.scheduling = true;
    CHECK(decode_chain(encode(chain)).value() == chain);
    for (const char* const wrong :
         {"",
          "[]",
          "{}",
          R"({"number":1,"scheduling":false,"entries":7})",
          R"({"number":1,"scheduling":0,"entries":[]})",
          R"({"number":1,"scheduling":false,"entries":[{"number":1}]})",
          R"({"number":1,"scheduling":false,"entries":[4]})"})
        CHECK(decode_chain(wrong).error().code() == errc::corrupt);
}

TEST_CASE("of two who change a chain at once neither loses what the other did") {
    world here;
    REQUIRE(here.add("nightly").has_value());
    int rounds = 0;
    const auto first = run_sync(here.book.change("ada", "nightly", [&](action_chain chain) {
        // Somebody else is faster, once.
        if (rounds++ == 0) {
            auto others = here.book.change("ada", "nightly", [](action_chain theirs) {
                theirs.entries.push_back(ping(1));
                return result<action_chain>(std::move(theirs));
            });
            CHECK(run_sync(std::move(others)).has_value());
        }
        chain.entries.push_back(ping(2));
        return result<action_chain>(std::move(chain));
    }));
    CHECK(first.has_value());
    CHECK(rounds == 2);
    CHECK(run_sync(here.book.find("ada", "nightly")).value().entries.size() == 2);
}

TEST_CASE("a label is one chain's, until that was removed") {
    world here;
    REQUIRE(here.add("nightly").has_value());
    CHECK(here.add("nightly").error().code() == errc::conflict);
    CHECK(run_sync(here.book.remove("bob", "nightly")).error().code() == errc::not_found);
    REQUIRE(run_sync(here.book.remove("ada", "nightly")).has_value());
    CHECK(run_sync(here.book.find("ada", "nightly")).error().code() == errc::not_found);
    CHECK(run_sync(here.book.list("ada")).value().empty());
    REQUIRE(here.add("nightly").has_value());
    REQUIRE(here.add("daily").has_value());
    CHECK(run_sync(here.book.rename("ada", "daily", "nightly")).error().code() == errc::conflict);
    REQUIRE(run_sync(here.book.rename("ada", "daily", "hourly")).has_value());
    CHECK(run_sync(here.book.list("ada")).value().size() == 2);
}

TEST_CASE("chains are bounded in number and in size") {
    world here;
    for (std::size_t n = 0; n < action_chain_limits::chains_max; ++n)
        REQUIRE(here.add("chain" + std::to_string(n)).has_value());
    CHECK(here.add("one more").error().code() == errc::conflict);
    auto large = here.book.change("ada", "chain1", [](action_chain chain) {
        auto entry = ping(1);
        entry.arguments.assign(action_chain_limits::document_bytes_max, 'x');
        chain.entries.push_back(entry);
        return result<action_chain>(std::move(chain));
    });
    CHECK(run_sync(std::move(large)).error().code() == errc::invalid);
}

}  // namespace
}  // namespace muster::compatibility
