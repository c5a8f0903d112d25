#include "services/fleet/stored_rule.h"

#include "adapters/metastore/sqlite/sqlite_metastore.h"
#include "runtime/clock.h"
#include "services/cluster/keys.h"
#include "services/fleet/accept_rule_store.h"
#include "tests/harness/run_sync.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

namespace muster::fleet {
namespace {

using harness::run_sync;

stored_rule key_rule(const std::string& name, const std::string& key, const std::string& digest) {
    stored_rule result{.name = name};
    result.key_digest = digest;
    result.zone = "default";
    result.as_key = activation{.key = key, .description = "shops"};
    return result;
}

struct site {
    harness::temporary_directory where{"rules"};
    runtime::system_clock clock;
    runtime::logger log{{.level = runtime::log_level::error}};
    std::unique_ptr<sqlite_metastore> store =
        sqlite_metastore::open(where.path() / "metastore.db", {}).value();
    accept_rule_store rules{*store, clock, log};
    accept_rule_store elsewhere{*store, clock, log};
};

TEST_CASE("what others see of a rule says nothing by which a key could be tried") {
    const auto one = key_rule("key-1", "1-shop", "aa");
    const auto other = key_rule("key-1", "1-bank", "bb");

    CHECK(encode(one) != encode(other));
    CHECK(encode(without_key(one)) == encode(without_key(other)));
    CHECK(without_key(one).name == one.name);
}

TEST_CASE(
    "a key is taken once, also by two servers that do not know of each other, until it goes") {
    site here;
    REQUIRE(run_sync(here.rules.add(key_rule("key-1", "1-shop", "aa"))).has_value());

    const auto again = run_sync(here.elsewhere.add(key_rule("key-2", "1-shop", "aa")));
    REQUIRE(!again);
    CHECK(again.error().code() == errc::conflict);
    REQUIRE(run_sync(here.elsewhere.remove("key-1")).has_value());
    CHECK(run_sync(here.elsewhere.add(key_rule("key-2", "1-shop", "aa"))).has_value());
}

TEST_CASE("a key from before places were taken is a key all the same") {
    site here;
    const auto old = key_rule(old_name_of_key_rule("aa"), "1-shop", "aa");
    kv::transaction before;
    before.then.push_back(kv::put{
        .key = cluster::keys::under(cluster::keys::accept_rules, old.name), .value = encode(old)});
    REQUIRE(run_sync(here.store->commit(std::move(before))).has_value());
    const auto keep = [](stored_rule&) -> result<void> {
        return {};
    };
    REQUIRE(run_sync(here.rules.change(old.name, keep)).has_value());  // reads them

    CHECK(here.rules.current()->size() == 1);
    CHECK(
        run_sync(here.rules.add(key_rule("key-2", "1-shop", "aa"))).error().code()
        == errc::conflict);
    CHECK(run_sync(here.rules.remove(old.name)).has_value());
}

}  // namespace
}  // namespace muster::fleet
