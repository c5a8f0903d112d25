#pragma once

// A cluster's people on embedded engines, as several servers see them, with a calendar that the
// test turns.
#include "adapters/bus/memory/memory_bus.h"
#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "adapters/metastore/sqlite/sqlite_metastore.h"
#include "adapters/os/password.h"
#include "roles/cluster/ledger_schema.h"
#include "roles/people/directory.h"
#include "roles/people/keys.h"
#include "roles/people/people_office.h"
#include "runtime/clock.h"
#include "runtime/log.h"
#include "tests/harness/answer_of.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace muster::people::test {

using namespace std::chrono_literals;
using access::right;
using harness::answer_of;

class turned_clock final : public clock {
public:
    instant now() const override { return real_.now() + ahead_.load(); }
    wall_time wall() const override { return real_.wall() + ahead_.load(); }
    async<void> sleep_until(instant when) override {
        return real_.sleep_until(when - ahead_.load());
    }
    void pass(std::chrono::microseconds span) { ahead_ = ahead_.load() + span; }

private:
    mutable runtime::system_clock real_;
    std::atomic<std::chrono::microseconds> ahead_{};
};

// Counts what is asked of the real one.
class counted_store final : public metastore {
public:
    explicit counted_store(metastore& real) : real_(real) {}

    async<kv::lookup> get(std::string key) override { return counted(real_.get(std::move(key))); }
    async<kv::page> range(kv::range_request request) override {
        return counted(real_.range(std::move(request)));
    }
    async<kv::verdict> commit(kv::transaction change) override {
        if (const auto call = std::exchange(before_commit, {})) call();
        return counted(real_.commit(std::move(change)));
    }
    async<kv::lease_id> grant(std::chrono::seconds ttl) override {
        return counted(real_.grant(ttl));
    }
    async<void> keep_alive(kv::lease_id lease) override { return counted(real_.keep_alive(lease)); }
    async<void> revoke(kv::lease_id lease) override { return counted(real_.revoke(lease)); }
    std::unique_ptr<metastore_watch> watch(std::string prefix, kv::revision from) override {
        return real_.watch(std::move(prefix), from);
    }
    async<void> compact(kv::revision oldest) override { return real_.compact(oldest); }

    std::atomic<int> asked = 0;
    // Called once, when the next commit is about to be made: what somebody else does just then.
    std::function<void()> before_commit;

private:
    template <class T>
    async<T> counted(async<T> question) {
        ++asked;
        return question;
    }

    metastore& real_;
};

inline constexpr auto password = "correct horse";
inline constexpr auto home = "192.0.2.7";

// Hashing costs on purpose: once is enough.
inline const std::string& hashed() {
    static const auto hash = os::hash_password(password).value();
    return hash;
}

inline access::grant everywhere(std::string role) {
    return {.role = std::move(role), .zone = ""};
}

// One server of the cluster.
struct server {
    roster_cell known;
    directory follows;
    people_office office;

    server(people_office::surroundings around, runtime::logger& log, people_office::options how)
        : follows(around.store, around.time, known, log, {}),
          office(
              {.store = around.store,
               .known = known,
               .places = around.places,
               .time = around.time,
               .audit = around.audit},
              std::move(how)) {}

    void catch_up() { REQUIRE(answer_of(follows.catch_up()).has_value()); }

    result<gate::login_answer> login(
        const std::string& user, const std::string& by = password, const char* from = home) {
        return answer_of(office.entrance.login({user, by, from}));
    }
    gate::opened_session opened(const std::string& user, const std::string& by = password) {
        auto answer = login(user, by);
        REQUIRE(answer.has_value());
        REQUIRE(std::holds_alternative<gate::opened_session>(*answer));
        return std::get<gate::opened_session>(*std::move(answer));
    }
    bool waits(const std::string& user, const char* from = home) {
        const auto answer = login(user, "wrong", from);
        return answer && std::holds_alternative<must_wait>(*answer);
    }
    result<identity> identify(const std::string& secret, const char* from = home) {
        return answer_of(office.entrance.identify(secret, from));
    }
    bool lets_in(const std::string& secret) { return identify(secret).has_value(); }
};

// Zones europe with berlin and paris below, and asia. Users: admin and, with less, what a test
// adds.
struct cluster_of_people {
    harness::temporary_directory where{"people"};
    turned_clock time;
    runtime::logger log{{.level = runtime::log_level::error}};
    std::unique_ptr<sqlite_metastore> store =
        sqlite_metastore::open(where.path() / "metastore.db", {}).value();
    counted_store counted{*store};
    std::unique_ptr<ledger> records =
        ledger_sqlite::open({.file = where.path() / "ledger.db"}).value();
    memory_bus doorbell{time};
    cluster::announcer bell{doorbell, log};
    audit_trail audit{*records, bell, time};
    cluster::topology_cell places;
    people_office::options how;
    server one;

    explicit cluster_of_people(people_office::options wanted = {})
        : how(std::move(wanted)), one(around(), log, how) {
        REQUIRE(answer_of(records->migrate(cluster::ledger_schema())).has_value());
        auto now = std::make_shared<cluster::topology>();
        now->zones["europe"] = {.name = "europe"};
        now->zones["berlin"] = {.name = "berlin", .parent = "europe"};
        now->zones["paris"] = {.name = "paris", .parent = "europe"};
        now->zones["asia"] = {.name = "asia"};
        places.publish(std::move(now));
        put_user("admin", {everywhere("admin")});
    }

    people_office::surroundings around() {
        return {.store = counted, .known = nobody_, .places = places, .time = time, .audit = audit};
    }
    server another() { return server(around(), log, how); }

    void put(const std::string& key, const std::string& value) const {
        kv::transaction change;
        change.then.emplace_back(kv::put{.key = key, .value = value});
        REQUIRE(answer_of(store->commit(std::move(change))).value().committed);
    }
    // Past all rules, as it may stand there from before.
    void put_user(const std::string& name, std::vector<access::grant> grants) {
        const user_record user{
            .name = name, .password_hash = hashed(), .grants = std::move(grants)};
        put(keys::user(name), encode(user));
        one.catch_up();
    }
    // As somebody who has logged in, without the password, which costs.
    identity as(const std::string& name) {
        const auto secret = make_secret(secret_kind::session);
        const session_record session{
            .user = name,
            .seen = time.wall(),
            .expires = time.wall() + 1h,
            .era = stored(name).value().current.sessions};
        put(keys::session(digest_of(secret)), encode(session));
        return one.identify(secret).value();
    }
    result<user_record> stored(const std::string& name) const {
        const auto there = answer_of(store->get(keys::user(name))).value();
        if (!there.found) return fail(errc::not_found, name);
        return decode_user(there.found->value);
    }
    std::size_t count(std::string_view prefix) const {
        return answer_of(store->range({.prefix = std::string(prefix)})).value().entries.size();
    }
    kv::revision at() const { return answer_of(store->get("nothing")).value().at; }

private:
    roster_cell nobody_;
};

}  // namespace muster::people::test
