#include "services/compatibility/numeric_id_store.h"

#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "adapters/metastore/sqlite/sqlite_metastore.h"
#include "services/cluster/keys.h"
#include "services/schema/ledger_schema.h"
#include "tests/harness/run_sync.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

#include <memory>
#include <set>

namespace muster::compatibility {
namespace {

using harness::run_sync;

struct world {
    harness::temporary_directory where{"numbers"};
    std::unique_ptr<sqlite_metastore> store =
        sqlite_metastore::open(where.path() / "metastore.db", {}).value();
    std::unique_ptr<ledger> records =
        ledger_sqlite::open({.file = where.path() / "ledger.db"}).value();

    world() { REQUIRE(run_sync(records->migrate(schema::ledger_schema())).has_value()); }

    numeric_id_store book(std::int64_t range = 100) const { return {*records, *store, range}; }
};

TEST_CASE("a name has one number, the same on every server and after a restart") {
    const world here;
    auto one = here.book();
    auto other = here.book();
    const auto first = run_sync(one.number("group", "shop")).value();
    CHECK(first.number == 1);
    CHECK(run_sync(other.number("group", "shop")).value() == first);
    CHECK(run_sync(other.number("group", "db")).value().number == 101);
    CHECK(run_sync(here.book().find("group", 1)).value().name == "shop");
    // Another kind counts for itself.
    CHECK(run_sync(one.number("user", "shop")).value().number == 1);
    CHECK(run_sync(one.find("user", 101)).error().code() == errc::not_found);
}

TEST_CASE("many names are numbered in their order of age, those that have a number keep it") {
    const world here;
    auto book = here.book(10);
    std::vector<std::string> names;
    for (int n = 2'500; n > 0; --n) names.push_back("n" + std::to_string(10'000 + n));
    const auto stored = run_sync(book.number("action", names[7])).value();
    const auto all = run_sync(book.number_all("action", names)).value();
    REQUIRE(all.size() == names.size());
    std::set<std::int64_t> numbers;
    for (std::size_t n = 0; n < all.size(); ++n) {
        CHECK(all[n].name == names[n]);
        numbers.insert(all[n].number);
    }
    CHECK(numbers.size() == names.size());
    CHECK(all[7] == stored);
    CHECK(all[100].number > all[101].number);
    CHECK(run_sync(book.number_all("action", names)).value() == all);
}

TEST_CASE("two servers that number the same names at once agree") {
    const world here;
    auto one = here.book(1);
    auto other = here.book(1);
    // Both have read that there is none: the second write changes nothing.
    const auto ours = run_sync(one.allocate("action", 1)).value().front();
    const auto theirs = run_sync(other.allocate("action", 1)).value().front();
    CHECK(ours != theirs);
    REQUIRE(run_sync(one.set_names("action", {{"j1", ours, 0}})).has_value());
    REQUIRE(run_sync(other.set_names("action", {{"j1", theirs, 0}})).has_value());
    CHECK(run_sync(other.number("action", "j1")).value().number == ours);
    CHECK(run_sync(one.find("action", theirs)).error().code() == errc::not_found);
}

TEST_CASE("a metastore that was restored to an earlier day gives no number twice") {
    const world here;
    for (const char* const name : {"a", "b", "c"})
        REQUIRE(run_sync(here.book(5).number("action", name)).has_value());
    kv::transaction lost;
    lost.then.push_back(
        kv::put{.key = cluster::keys::under(cluster::keys::last_numbers, "action"), .value = "1"});
    REQUIRE(run_sync(here.store->commit(lost)).value().committed);
    CHECK(run_sync(here.book(5).number("action", "d")).value().number > 11);
}

TEST_CASE("marks only grow, and what is older than a name is let go of") {
    const world here;
    auto book = here.book();
    auto one = run_sync(book.number("action", "20261116051234123456")).value();
    one.mark = 2;
    REQUIRE(run_sync(book.set_marks("action", {one})).has_value());
    auto back = one;
    back.mark = 1;
    REQUIRE(run_sync(book.set_marks("action", {back})).has_value());
    CHECK(run_sync(book.find("action", one.number)).value().mark == 2);
    const auto younger = run_sync(book.number("action", "20261123051234123456")).value();
    auto forgetting = erase_numbers_before(*here.records, "action", "20261120000000000000");
    REQUIRE(run_sync(std::move(forgetting)).has_value());
    CHECK(run_sync(book.find("action", one.number)).error().code() == errc::not_found);
    CHECK(run_sync(book.find("action", younger.number)).has_value());
}

TEST_CASE("numbers end where clients' numbers do") {
    const world here;
    kv::transaction full;
    full.then.push_back(kv::put{
        .key = cluster::keys::under(cluster::keys::last_numbers, "user"), .value = "2147483600"});
    REQUIRE(run_sync(here.store->commit(full)).value().committed);
    const auto refused = run_sync(here.book().number("user", "ada"));
    CHECK(refused.error().code() == errc::conflict);
    CHECK(refused.error().detail().contains("exhausted"));
    CHECK(run_sync(here.book(10).number("user", "ada")).value().number == 2147483601);
}

}  // namespace
}  // namespace muster::compatibility
