#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "adapters/metastore/sqlite/sqlite_metastore.h"
#include "adapters/pki/fingerprint.h"
#include "base/hex.h"
#include "runtime/clock.h"
#include "services/content/content_services.h"
#include "services/content/sync_schedule.h"
#include "services/schema/ledger_schema.h"
#include "tests/fixtures/content/repository_builder.h"
#include "tests/harness/run_sync.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <fstream>

namespace muster::content {
namespace {

using namespace test;
using harness::run_sync;

struct place {
    harness::temporary_directory home{"content"};
    runtime::system_clock clock;
    runtime::logger log{{.level = runtime::log_level::error}};
    std::unique_ptr<sqlite_metastore> store =
        sqlite_metastore::open(home.path() / "metastore.db", {}).value();
    std::unique_ptr<ledger> records =
        ledger_sqlite::open({.file = home.path() / "ledger.db"}).value();

    place() { REQUIRE(run_sync(records->migrate(schema::ledger_schema())).has_value()); }
};

// One of several servers over the same record.
struct server {
    content_number_allocator numbers;
    content_store store;
    package_sets sets;
    content_service service{store, numbers};
    repository::repository_reader reader;
    channel_sync_worker syncs;

    explicit server(place& at)
        : numbers(*at.store),
          store(*at.records, at.clock, at.log),
          sets(*at.records, at.clock),
          reader(at.clock, {.directories = {at.home.path()}}),
          syncs(
              {.content = store,
               .numbers = numbers,
               .reader = reader,
               .clock = at.clock,
               .log = at.log}) {}

    channel_ref make(const std::string& label, const std::string& parent = "") {
        channel channel;
        channel.row.name = label;
        channel.name = label + " by name";
        channel.arch = "channel-x86_64";
        channel.parent = parent;
        const auto result = run_sync(service.create(std::move(channel), "me"));
        REQUIRE_MESSAGE(result.has_value(), to_string(result.error()));
        return *result;
    }
    void give(const std::string& label, const std::filesystem::path& repository) {
        REQUIRE(
            run_sync(service.create_repository(label + "-repo", "yum", repository.string(), "me"))
                .has_value());
        REQUIRE(run_sync(service.change(label, "me", [label](channel& of) -> result<void> {
                    of.repositories = {label + "-repo"};
                    return {};
                })).has_value());
    }
};

const std::vector<made_package> shop{
    {.name = "till", .version = "1.0"}, {.name = "till", .version = "1.0", .release = "2"}};

TEST_CASE("a channel is made once, by a label that is one, below a base channel") {
    place here;
    server one(here);
    server other(here);
    const auto result = one.make("shop");
    CHECK(result->number() > 0);
    channel again;
    again.row.name = "shop";
    again.name = "other";
    again.arch = "channel-x86_64";
    CHECK(run_sync(other.service.create(again, "me")).error().code() == errc::conflict);
    again.row.name = "shop2";
    again.name = result->name;
    CHECK(run_sync(other.service.create(again, "me")).error().code() == errc::conflict);
    again.name = "other";
    again.parent = "none";
    CHECK(run_sync(other.service.create(again, "me")).error().code() == errc::not_found);
    again.parent = "shop";
    CHECK(run_sync(other.service.create(again, "me")).has_value());
    again.row.name = "shop3";
    again.name = "below a child";
    again.parent = "shop2";
    CHECK(run_sync(other.service.create(again, "me")).error().code() == errc::invalid);
    again.parent = "";
    again.arch = "channel-pdp11";
    CHECK(run_sync(other.service.create(again, "me")).error().code() == errc::invalid);
    for (const char* const label : {"", "a b", "-a", ".a", "a/b"}) {
        again.row.name = label;
        CHECK(run_sync(other.service.create(again, "me")).error().code() == errc::invalid);
    }
    CHECK(run_sync(one.service.remove("shop", "me")).error().code() == errc::conflict);
    CHECK(run_sync(one.service.remove("shop2", "me")).has_value());
    CHECK(run_sync(one.service.remove("shop", "me")).has_value());
    CHECK(run_sync(other.store.refresh()).has_value());
    CHECK(other.store.find<channel>("shop") == nullptr);
    // A label that comes back keeps its number.
    CHECK(other.make("shop")->number() == result->number());
}

TEST_CASE("packages are stored once, whichever channels and servers bring them") {
    place here;
    make_rpm_repository(here.home.path() / "repo", shop, advisory("SHOP-1", "CVE-1", shop[1]));
    server one(here);
    server other(here);
    for (const char* const label : {"first", "second"}) {
        one.make(label);
        one.give(label, here.home.path() / "repo");
    }
    const auto done = run_sync(one.syncs.sync({.channel = "first", .by = "me"}));
    REQUIRE_MESSAGE(done.has_value(), to_string(done.error()));
    CHECK(done->packages == 2);
    CHECK(done->errata == 1);
    const auto again = run_sync(other.syncs.sync({.channel = "second", .by = "me"}));
    REQUIRE(again.has_value());
    CHECK(again->packages == 2);
    CHECK(other.store.package_count() == 2);
    CHECK(
        other.store.find<channel>("first")->row.packages
        == other.store.find<channel>("second")->row.packages);
    CHECK(other.store.count<erratum>() == 1);
    // Nothing new: nothing is added.
    const auto still = run_sync(one.syncs.sync({.channel = "first", .by = "me"}));
    REQUIRE(still.has_value());
    CHECK(still->packages == 0);
    CHECK(still->errata == 0);
    // A server that starts reads the same.
    server third(here);
    CHECK(run_sync(third.store.refresh()).has_value());
    CHECK(third.store.package_count() == 2);
    CHECK(third.store.find<erratum>("SHOP-1")->cves == std::vector<std::string>{"CVE-1"});
    const auto number = third.store.find<channel>("first")->row.packages.front();
    const auto row = run_sync(third.store.read_package(number));
    REQUIRE(row.has_value());
    CHECK(row->details.license == "MIT");
}

TEST_CASE("a package that was removed comes back with its number") {
    place here;
    make_rpm_repository(here.home.path() / "repo", shop);
    server server(here);
    server.make("shop");
    server.give("shop", here.home.path() / "repo");
    REQUIRE(run_sync(server.syncs.sync({.channel = "shop", .by = "me"})).has_value());
    const auto before = server.store.find<channel>("shop")->row.packages;
    REQUIRE(run_sync(server.service.remove_package(before.front(), "me")).has_value());
    CHECK(server.store.package_count() == 1);
    CHECK(server.store.find<channel>("shop")->row.packages.size() == 1);
    REQUIRE(run_sync(server.syncs.sync({.channel = "shop", .by = "me"})).has_value());
    CHECK(server.store.find<channel>("shop")->row.packages == before);
}

TEST_CASE("a repository that cannot be read leaves the channel as it was, with a sentence") {
    place here;
    server server(here);
    server.make("shop");
    server.give("shop", here.home.path() / "nowhere");
    const auto done = run_sync(server.syncs.sync({.channel = "shop", .by = "me"}));
    REQUIRE(!done.has_value());
    CHECK(done.error().detail().contains("shop-repo"));
    CHECK(server.store.find<channel>("shop")->row.packages.empty());
}

TEST_CASE("of two who change a channel at once both changes are in it") {
    place here;
    server one(here);
    server other(here);
    one.make("shop");
    REQUIRE(run_sync(other.store.refresh()).has_value());
    const auto describe = [](std::string channel::* which) {
        return [which](channel& of) -> result<void> {
            of.*which = "said";
            return {};
        };
    };
    REQUIRE(run_sync(one.service.change("shop", "me", describe(&channel::summary))).has_value());
    REQUIRE(
        run_sync(other.service.change("shop", "you", describe(&channel::description))).has_value());
    const auto now = other.store.find<channel>("shop");
    CHECK(now->summary == "said");
    CHECK(now->description == "said");
    // Somebody who did not look again is told.
    auto stale = one.store.find<channel>("shop");
    CHECK(run_sync(one.store.write(to_record(*stale))).error().code() == errc::conflict);
}

TEST_CASE("a system has a base channel and children of it, and nothing else") {
    place here;
    server server(here);
    server.make("shop");
    server.make("shop-more", "shop");
    server.make("field");
    const system_number system_number(7);
    CHECK(
        run_sync(server.service.subscribe(system_number, "shop-more", {}, "me")).error().code()
        == errc::invalid);
    CHECK(
        run_sync(server.service.subscribe(system_number, "none", {}, "me")).error().code()
        == errc::not_found);
    CHECK(
        run_sync(server.service.subscribe(system_number, "field", {"shop-more"}, "me"))
            .error()
            .code()
        == errc::invalid);
    CHECK(
        run_sync(server.service.subscribe(system_number, "shop", {"shop-more"}, "me")).has_value());
    CHECK(
        server.store.subscription_of(system_number)->labels()
        == std::vector<std::string>{"shop", "shop-more"});
    CHECK(run_sync(server.service.remove("shop-more", "me")).error().code() == errc::conflict);
    CHECK(run_sync(server.service.subscribe(system_number, "", {}, "me")).has_value());
    CHECK(server.store.subscription_of(system_number)->labels().empty());
}

TEST_CASE("the same packages of many systems are one row, and only what is a list is taken") {
    place here;
    server one(here);
    const std::string text = "packages rpm\ntill\t\t1.0\t1\tnoarch\n";
    const auto digest = to_hex(pki::sha256(text));
    CHECK(!run_sync(one.sets.knows(digest)).value());
    CHECK(run_sync(one.sets.find(digest)).error().code() == errc::not_found);
    CHECK(run_sync(one.sets.find("till")).error().code() == errc::not_found);
    CHECK(run_sync(one.sets.put(digest, text + "x")).error().code() == errc::invalid);
    const std::string other = "packages rpm\nb\t\t1\t1\tnoarch\na\t\t1\t1\tnoarch\n";
    CHECK(
        run_sync(one.sets.put(to_hex(pki::sha256(other)), other)).error().code() == errc::invalid);
    CHECK(run_sync(one.sets.put(digest, text)).has_value());
    CHECK(run_sync(one.sets.put(digest, text)).has_value());
    server another(here);
    CHECK(run_sync(another.sets.knows(digest)).value());
    CHECK(run_sync(another.sets.find(digest)).value()->all.size() == 1);
}

// Days later.
class late_clock : public clock {
public:
    std::chrono::hours late{0};

    instant now() const override { return real_.now(); }
    wall_time wall() const override { return real_.wall() + late; }
    async<void> sleep_until(instant when) override { return real_.sleep_until(when); }

private:
    runtime::system_clock real_;
};

TEST_CASE("a channel is due by its schedule from when it was set, and again after each try") {
    using namespace std::chrono_literals;
    const wall_time noon = std::chrono::sys_days(std::chrono::year(2026) / 11 / 16) + 12h;
    channel of;
    CHECK(!next_sync(of));
    of.schedule = "30 3 * * *";
    of.schedule_set = noon;
    CHECK(next_sync(of) == noon + 15h + 30min);
    of.synced = noon + 20h;
    CHECK(next_sync(of) == noon + 39h + 30min);
    CHECK(next_sync(of, noon + 40h) == noon + 63h + 30min);
    CHECK(check_schedule("30 3 * * *").has_value());
    CHECK(!check_schedule("every day").has_value());
    CHECK(!check_schedule("").has_value());
}

TEST_CASE("what a schedule has due is started once") {
    place here;
    late_clock clock;
    server server(here);
    server.make("shop");
    server.give("shop", here.home.path() / "nowhere");
    const auto scheduled = [&clock](channel& of) -> result<void> {
        of.schedule = "0 * * * *";
        of.schedule_set = clock.wall();
        return {};
    };
    REQUIRE(run_sync(server.service.change("shop", "me", scheduled)).has_value());
    sync_schedule due(
        {.content = server.store, .syncs = server.syncs, .clock = clock, .log = here.log});
    REQUIRE(run_sync(due.look()).has_value());
    CHECK(!server.syncs.stage_of("shop"));
    clock.late = std::chrono::hours(3);
    REQUIRE(run_sync(due.look()).has_value());
    CHECK(server.syncs.stage_of("shop") == "queued");
    REQUIRE(run_sync(due.look()).has_value());
}

TEST_CASE("what was asked for on one server is done by the next, until it was tried") {
    place here;
    make_rpm_repository(here.home.path() / "repo", shop, "");
    server one(here);
    one.make("shop");
    one.give("shop", here.home.path() / "repo");
    REQUIRE(run_sync(one.syncs.request({.channel = "shop", .by = "ada", .with_errata = false}))
                .has_value());
    CHECK(!one.syncs.stage_of("shop"));  // by the active driver, which is another server

    server other(here);
    sync_schedule due(
        {.content = other.store, .syncs = other.syncs, .clock = here.clock, .log = here.log});
    REQUIRE(run_sync(due.look()).has_value());
    CHECK(other.syncs.stage_of("shop") == "queued");
    // It stops. Whoever drives next finds the same.
    server next(here);
    sync_schedule again(
        {.content = next.store, .syncs = next.syncs, .clock = here.clock, .log = here.log});
    REQUIRE(run_sync(again.look()).has_value());
    CHECK(next.syncs.stage_of("shop") == "queued");
    const auto request = next.store.find<channel>("shop")->sync_asked;
    REQUIRE(request.has_value());
    CHECK(request->by == "ada");
    CHECK_FALSE(request->with_errata);

    REQUIRE(run_sync(next.syncs.sync({.channel = "shop", .by = "ada"})).has_value());
    CHECK(!next.store.find<channel>("shop")->sync_asked);
    server last(here);
    sync_schedule done(
        {.content = last.store, .syncs = last.syncs, .clock = here.clock, .log = here.log});
    REQUIRE(run_sync(done.look()).has_value());
    CHECK(!last.syncs.stage_of("shop"));
}

TEST_CASE("a list that nobody has is forgotten after a while, unless somebody asks for it") {
    place here;
    late_clock clock;
    package_sets sets(*here.records, clock);
    std::vector<std::string> digests;
    for (const char* const name : {"kept", "asked", "gone"}) {
        const auto text = fmt::format("packages rpm\n{}\t\t1.0\t1\tnoarch\n", name);
        digests.push_back(to_hex(pki::sha256(text)));
        REQUIRE(run_sync(sets.put(digests.back(), text)).has_value());
    }
    const auto used = [&digests](const std::string& digest) {
        return digest == digests[0];
    };
    CHECK(run_sync(sets.sweep(used)).value() == 0);
    clock.late = package_sets::unused_time + std::chrono::hours(1);
    CHECK(run_sync(sets.knows(digests[1])).value());
    CHECK(run_sync(sets.sweep(used)).value() == 1);
    CHECK(run_sync(sets.knows(digests[0])).value());
    CHECK(run_sync(sets.knows(digests[1])).value());
    CHECK(!run_sync(sets.knows(digests[2])).value());
}

}  // namespace
}  // namespace muster::content
