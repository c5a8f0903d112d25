#pragma once

// Servers that edit common data on the same embedded engines. The data is a list of things that the
// test holds, as the record and as each server has it in memory.
#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "adapters/metastore/sqlite/sqlite_metastore.h"
#include "roles/cluster/ledger_schema.h"
#include "roles/revision/applier.h"
#include "roles/revision/common_follower.h"
#include "roles/revision/draft_desk.h"
#include "roles/revision/drift_watch.h"
#include "roles/revision/keeper.h"
#include "roles/revision/leadership.h"
#include "roles/revision/press.h"
#include "roles/revision/revision_ledger.h"
#include "runtime/clock.h"
#include "runtime/log.h"
#include "tests/harness/answer_of.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace muster::revision::test {

using namespace std::chrono_literals;
using harness::answer_of;

class turned_clock final : public clock {
public:
    instant now() const override { return real_.now() + ahead_; }
    wall_time wall() const override { return real_.wall() + ahead_; }
    async<void> sleep_until(instant when) override { return real_.sleep_until(when - ahead_); }
    void pass(std::chrono::microseconds span) { ahead_ += span; }

private:
    mutable runtime::system_clock real_;
    std::chrono::microseconds ahead_{};
};

// The real store until the server dies: at its n-th change, before it is done or after it, when
// nobody hears of it any more.
class mortal_store final : public metastore {
public:
    explicit mortal_store(metastore& real) : real_(real) {}

    async<kv::lookup> get(std::string key) override {
        if (dead()) co_return gone();
        co_return co_await real_.get(std::move(key));
    }
    async<kv::page> range(kv::range_request request) override {
        if (dead()) co_return gone();
        co_return co_await real_.range(std::move(request));
    }
    async<kv::verdict> commit(kv::transaction change) override {
        if (dead() || (!dies_after && last_one())) co_return gone();
        auto done = co_await real_.commit(std::move(change));
        if (dies_after && last_one()) co_return gone();
        co_return done;
    }
    async<kv::lease_id> grant(std::chrono::seconds ttl) override { return real_.grant(ttl); }
    async<void> keep_alive(kv::lease_id lease) override { return real_.keep_alive(lease); }
    async<void> revoke(kv::lease_id lease) override { return real_.revoke(lease); }
    async<void> compact(kv::revision oldest) override { return real_.compact(oldest); }
    std::unique_ptr<metastore_watch> watch(std::string prefix, kv::revision from) override {
        return real_.watch(std::move(prefix), from);
    }

    // Anything the server does counts as a step at which it may die.
    bool last_one() { return left >= 0 && left-- == 0; }
    bool dead() const { return left == -1; }

    int left = -2;  // changes until it dies; below zero: never, but for -1, which is dead
    bool dies_after = false;

private:
    static std::unexpected<error> gone() { return fail(errc::timed_out, "the server is dead"); }

    metastore& real_;
};

// What all servers share.
struct cluster_of_editors {
    harness::temporary_directory where{"revision"};
    turned_clock time;
    runtime::logger log{{.level = runtime::log_level::error}};
    std::unique_ptr<sqlite_metastore> store =
        sqlite_metastore::open(where.path() / "metastore.db", {}).value();
    std::unique_ptr<ledger> records =
        ledger_sqlite::open({.file = where.path() / "ledger.db"}).value();
    std::map<std::string, std::string, std::less<>> things;  // on record
    std::set<std::string> assigned;  // what a change did that no digest shows
    std::vector<event_record> events;

    cluster_of_editors() {
        REQUIRE(answer_of(records->migrate(cluster::ledger_schema())).has_value());
    }
};

// One server. Changes are "+name", "-name", ".name" (one more x) and "*name" (assigned).
struct server {
    server(cluster_of_editors& in, std::string own_name, bool leads_too = true)
        : all(in), name(std::move(own_name)), leads(leads_too) {}

    async<section> recorded() { co_return section{.name = "things", .items = all.things}; }
    async<void> read_anew() {
        ++readings;
        if (heals) held = all.things;
        co_return result<void>();
    }
    async<void> carry_out(drafted_change change) {
        if (store.dead() || (!store.dies_after && store.last_one()))
            co_return fail(errc::timed_out, "the server is dead");
        auto done = change_things(change.operation);
        if (store.dies_after && store.last_one())
            co_return fail(errc::timed_out, "the server is dead");
        co_return done;
    }
    result<void> change_things(const std::string& what) {
        const auto thing = what.substr(1);
        const bool there = all.things.contains(thing);
        if (what[0] == '+' && there) return fail(errc::conflict, thing + " is there");
        if (what[0] == '-' && !there) return fail(errc::not_found, thing + " is not there");
        if (what[0] == '+') all.things[thing] = "{}";
        if (what[0] == '-') all.things.erase(thing);
        if (what[0] == '.') all.things[thing] += "x";
        if (what[0] == '*') all.assigned.insert(thing);
        held = all.things;
        stamp = std::make_shared<int>(0);
        return {};
    }

    leadership::claim lead() {
        const auto found = answer_of(seat.lead());
        REQUIRE(found.has_value());
        REQUIRE(found->own.has_value());
        return *found->own;
    }
    drafted_change draft(const std::string& edit, const std::string& what) {
        auto made = answer_of(desk.add(
            lead(), {.operation = what, .arguments = "{}", .by = "anna", .edit = edit, .at = {}}));
        REQUIRE(made.has_value());
        return *made;
    }
    std::string begin(const std::string& user) {
        auto made = answer_of(desk.begin(lead(), user, ""));
        REQUIRE(made.has_value());
        return made->who.id;
    }
    void look() {
        REQUIRE(answer_of(follower.catch_up()).has_value());
        const auto done = answer_of(care.look());
        CHECK_MESSAGE(done.has_value(), (done ? "" : to_string(done.error())));
        REQUIRE(answer_of(follower.catch_up()).has_value());
    }
    const common_view& view() {
        REQUIRE(answer_of(follower.catch_up()).has_value());
        last = known.read();
        return *last;
    }
    // What the cluster does when it is dead for long enough.
    void bury() { REQUIRE(answer_of(seat.leave()).has_value()); }

    cluster_of_editors& all;
    std::string name;
    bool leads;
    mortal_store store{*all.store};
    std::map<std::string, std::string, std::less<>> held = all.things;
    std::shared_ptr<const void> stamp = std::make_shared<int>(0);
    bool heals = true;
    int readings = 0;
    sources from{
        {.name = "things",
         .held = [this]() -> std::optional<section> {
             return section{.name = "things", .items = held};
         },
         .stamp = [this] { return stamp; },
         .recorded = [this] { return recorded(); },
         .read_anew =
             [this] {
                 stamp = std::make_shared<int>(0);
                 return read_anew();
             }}};
    common_cell known;
    std::shared_ptr<const common_view> last;
    common_follower follower{store, all.time, known, all.log};
    leadership seat{
        {.store = store, .time = all.time, .log = all.log},
        {.server = name, .address = name + ":8443", .patience = 200ms}};
    draft_desk desk{store, all.time, {}};
    revision_ledger kept{*all.records};
    press printing{{.store = store, .kept = kept, .from = from, .time = all.time}};
    applier work{
        {.store = store,
         .desk = desk,
         .printing = printing,
         .time = all.time,
         .log = all.log,
         .carry_out = [this](drafted_change what) {
             return carry_out(std::move(what));
         }}};
    drift_watch drift{
        {.store = store,
         .known = known,
         .from = from,
         .time = all.time,
         .log = all.log,
         .told =
             [this](event_record what) {
                 all.events.push_back(std::move(what));
             }},
        {.server = name}};
    keeper care{
        {.store = store,
         .seat = seat,
         .desk = desk,
         .work = work,
         .printing = printing,
         .drift = drift,
         .known = known,
         .complete = [] { return true; },
         .time = all.time,
         .log = all.log,
         .told =
             [this](event_record what) {
                 all.events.push_back(std::move(what));
             }},
        {.server = name, .leads = leads}};
};

}  // namespace muster::revision::test
