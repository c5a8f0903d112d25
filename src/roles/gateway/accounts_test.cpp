#include "roles/gateway/accounts.h"

#include "adapters/bus/memory/memory_bus.h"
#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "adapters/metastore/sqlite/sqlite_metastore.h"
#include "adapters/os/password.h"
#include "roles/cluster/keys.h"
#include "roles/cluster/ledger_schema.h"
#include "runtime/clock.h"
#include "runtime/log.h"
#include "tests/harness/answer_of.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace muster::gateway {
namespace {

using harness::answer_of;

// A gateway's people on the embedded engines, with one user.
struct front_door {
    harness::temporary_directory where{"accounts"};
    runtime::system_clock time;
    runtime::logger log{{}};
    std::unique_ptr<sqlite_metastore> store =
        sqlite_metastore::open(where.path() / "metastore.db", {}).value();
    std::unique_ptr<ledger> records =
        ledger_sqlite::open({.file = where.path() / "ledger.db"}).value();
    memory_bus doorbell{time};
    cluster::announcer bell{doorbell, log};
    audit_trail audit{*records, bell, time};
    accounts people{
        {.metadata = *store, .records = *records, .doorbell = doorbell},
        time,
        audit,
        {.attempts = {.failures_max = 2}}};

    front_door() {
        REQUIRE(answer_of(records->migrate(cluster::ledger_schema())).has_value());
        const cluster::user_record admin{
            .name = "admin", .password_hash = os::hash_password("correct horse").value()};
        kv::transaction add;
        add.then.push_back(kv::put{.key = cluster::keys::user("admin"), .value = encode(admin)});
        REQUIRE(answer_of(store->commit(add)).value().committed);
    }

    result<accounts::session> login(const std::string& user, const std::string& password) {
        return answer_of(people.login({user, password, "192.0.2.7"}));
    }

    std::vector<std::string> audited(const std::string& column) {
        const auto schema = table::catalog::of(cluster::ledger_schema()).value();
        const std::string name(cluster::audit_table);
        const auto place = schema.find(name).value()->find(column).value();
        const auto page = answer_of(records->read({.table = name})).value();
        std::vector<std::string> cells;
        for (const auto& row : page.rows) cells.push_back(std::get<std::string>(row[place]));
        return cells;
    }
};

TEST_CASE("every attempt to log in is in the audit trail before it is answered") {
    front_door door;

    CHECK(door.login("admin", "wrong").error().code() == errc::denied);
    CHECK(door.login("mallory", "correct horse").error().code() == errc::denied);
    CHECK(door.login("admin", "correct horse").has_value());

    CHECK(door.audited("who") == std::vector<std::string>{"admin", "mallory", "admin"});
    CHECK(door.audited("outcome") == std::vector<std::string>{"refused", "refused", "done"});
    CHECK(
        door.audited("origin") == std::vector<std::string>{"192.0.2.7", "192.0.2.7", "192.0.2.7"});
}

TEST_CASE("a refusal does not tell a wrong password from an unknown user") {
    front_door door;

    CHECK(door.login("admin", "wrong").error() == door.login("mallory", "wrong").error());
}

TEST_CASE("a token is its user's until it ends, and no other text is anybody's") {
    front_door door;
    const auto opened = door.login("admin", "correct horse").value();

    CHECK(answer_of(door.people.user_of(opened.token)).value() == "admin");
    std::string changed = opened.token;
    changed.front() = changed.front() == '0' ? '1' : '0';
    CHECK(answer_of(door.people.user_of(changed)).error().code() == errc::denied);
    CHECK(answer_of(door.people.user_of("")).error().code() == errc::denied);
}

TEST_CASE("whoever failed too often has to wait, by name and by address") {
    front_door door;
    CHECK(door.login("admin", "wrong").error().code() == errc::denied);
    CHECK(door.login("admin", "wrong").error().code() == errc::denied);

    CHECK(door.people.check_rate({"admin", "", "198.51.100.1"}).has_value());
    CHECK(door.people.check_rate({"operator", "", "192.0.2.7"}).has_value());
    CHECK_FALSE(door.people.check_rate({"operator", "", "198.51.100.1"}).has_value());
}

TEST_CASE("a login that cannot be recorded is not answered as done") {
    front_door door;
    door.records = ledger_sqlite::open({.file = door.where.path() / "other.db"}).value();
    audit_trail unrecorded(*door.records, door.bell, door.time);
    accounts people(
        {.metadata = *door.store, .records = *door.records, .doorbell = door.doorbell},
        door.time,
        unrecorded,
        {});

    CHECK_FALSE(answer_of(people.login({"admin", "correct horse", "192.0.2.7"})).has_value());
}

}  // namespace
}  // namespace muster::gateway
