#include "services/fleet/search.h"

#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "runtime/clock.h"
#include "runtime/metrics.h"
#include "services/fleet/fact_texts.h"
#include "services/fleet/facts_follower.h"
#include "services/fleet/facts_row.h"
#include "services/fleet/fleet_tables.h"
#include "services/fleet/group_store.h"
#include "services/fleet/selection.h"
#include "services/fleet/system_follower.h"
#include "services/fleet/system_row.h"
#include "services/schema/ledger_schema.h"
#include "tests/harness/run_sync.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>

namespace muster::fleet {
namespace {

using harness::run_sync;

struct searched_world {
    harness::temporary_directory where{"search"};
    runtime::system_clock clock;
    runtime::logger log{{.level = runtime::log_level::error}};
    std::unique_ptr<ledger> records =
        ledger_sqlite::open({.file = where.path() / "ledger.db"}).value();
    system_cache known;
    search found{known};
    facts_follower facts{
        {.ledger = *records, .systems = known, .search = found, .clock = clock, .log = log}, {}};
    system_follower follows{*records, known, clock, log, {}};
    group_store groups{*records, clock, log};
    struct first_is_attached final : presence::presence_lookup {
        bool is_attached(system_number system) const override { return system == system_number(1); }
        std::string node_of(system_number system) const override {
            return system == system_number(1) ? "n1" : "";
        }
    };
    first_is_attached where_they_are;

    searched_world() { REQUIRE(run_sync(records->migrate(schema::ledger_schema())).has_value()); }

    static system_record record(int seed, enrolment stage, std::int64_t version = 1) {
        fingerprint::bytes_type bytes{};
        bytes.fill(static_cast<unsigned char>(seed));
        system_record system{.print = fingerprint(bytes)};
        system.public_key = std::string(32, 'k');
        system.name = "web" + std::to_string(seed);
        system.machine_id = "machine" + std::to_string(seed);
        system.stage = stage;
        system.version = version;
        if (stage != enrolment::accepted) return system;
        system.number = system_number(seed);
        system.zone = "default";
        system.tags = {seed % 2 == 0 ? "even" : "odd"};
        return system;
    }

    void write(const system_record& row) {
        table::batch change;
        change.writes.push_back(
            {.table = std::string(systems_table),
             .rows = {encode_system(row, clock.wall())},
             .existing = table::replace_if_grows{"version"}});
        REQUIRE(run_sync(records->write(std::move(change))).has_value());
    }
    void tell(int seed, const std::string& document) {
        table::batch change;
        change.writes.push_back(
            {.table = std::string(facts_table),
             .rows = {encode_facts(
                 {.print = record(seed, enrolment::pooled).print,
                  .document = document,
                  .digest = "d",
                  .changed = clock.wall()})},
             .existing = table::replace{}});
        REQUIRE(run_sync(records->write(std::move(change))).has_value());
    }
    void refresh() {
        REQUIRE(run_sync(follows.refresh()).has_value());
        REQUIRE(run_sync(facts.refresh()).has_value());
        REQUIRE(run_sync(groups.refresh()).has_value());
    }
    result<system_set> try_find(const std::string& text) {
        TRY(const auto parsed, groups.parse(text));
        return found.resolve(parsed, where_they_are);
    }
    std::vector<int> find(const std::string& text) {
        const auto all = try_find(text);
        REQUIRE_MESSAGE(all, all.error().detail());
        std::vector<int> numbers;
        all->for_each([&](system_number system_number) {
            numbers.push_back(static_cast<int>(system_number.value()));
        });
        return numbers;
    }
};

using numbers = std::vector<int>;

TEST_CASE("systems are found by record, facts and whereabouts, as the ledger has them") {
    searched_world world;
    for (const int seed : {1, 2, 3}) world.write(world.record(seed, enrolment::accepted));
    world.write(world.record(4, enrolment::pooled));
    world.tell(1, R"({"os.name":"Debian","addresses":["10.0.0.1"]})");
    world.tell(2, R"({"os.name":"SLES","roles":["web","db"]})");
    world.tell(4, R"({"os.name":"Debian"})");
    CHECK(world.try_find("*").error().code() == errc::unavailable);
    REQUIRE(run_sync(world.follows.refresh()).has_value());
    CHECK(world.find("web*") == numbers{1, 2, 3});
    CHECK(world.try_find("os.name:*").error().code() == errc::unavailable);
    world.refresh();
    CHECK(world.find("os.name:debian") == numbers{1});
    CHECK(world.find("G@roles:db or S@10.0.0.0/8") == numbers{1, 2});
    CHECK(world.find("tag:odd and not state:onboarded") == numbers{3});
    CHECK(world.find("state:orphan") == numbers{2, 3});
    CHECK(world.find("state:accepted") == numbers{1, 2, 3});
    CHECK(world.find("state:pooled") == numbers{});
    CHECK(world.find("node:n*") == numbers{1});
    CHECK(world.find("machine:machine2") == numbers{2});
    CHECK(world.find("machine:*3 or number:1") == numbers{1, 3});
    const auto print = world.record(3, enrolment::accepted).print.str();
    CHECK(world.find("fp:" + print) == numbers{3});
    CHECK(world.find("fp:" + print.substr(0, 8) + "*") == numbers{3});
}

TEST_CASE("facts that were there before the system was accepted are found when it is") {
    searched_world world;
    world.write(world.record(1, enrolment::pooled));
    world.tell(1, R"({"os.name":"Debian"})");
    world.refresh();
    CHECK(world.find("os.name:debian") == numbers{});
    world.write(world.record(1, enrolment::accepted, 2));
    world.refresh();
    CHECK(world.find("os.name:debian") == numbers{1});
    world.tell(1, R"({"os.name":"Ubuntu"})");
    world.refresh();
    CHECK(world.find("os.name:debian") == numbers{});
    CHECK(world.find("os.name:ubuntu") == numbers{1});
    world.write(world.record(1, enrolment::deleted, 3));
    world.refresh();
    CHECK(world.find("*") == numbers{});
}

TEST_CASE("a regular expression that takes too long is refused, whoever it meets") {
    searched_world world;
    auto slow = world.record(1, enrolment::accepted);
    slow.name = std::string(60, 'a') + "-";
    world.write(slow);
    world.refresh();
    CHECK(world.try_find("not E@(a+)+$").error().code() == errc::invalid);
}

TEST_CASE("a selection joins those in the pool and those that were accepted") {
    searched_world world;
    for (const int seed : {1, 2}) world.write(world.record(seed, enrolment::accepted));
    for (const int seed : {3, 4}) world.write(world.record(seed, enrolment::pooled));
    world.refresh();
    const auto desired =
        std::make_shared<const targeting::query>(world.groups.parse("not web2 not web3").value());
    const auto all = run_sync(select_all(
        {.systems = world.known, .search = world.found}, {.stages = {}, .query = desired}, 10));
    REQUIRE(all);
    CHECK(all->size() == 2);
    const auto pooled = run_sync(select_page(
        {.systems = world.known, .search = world.found},
        {.stages = {enrolment::pooled}, .query = desired},
        std::nullopt,
        10));
    REQUIRE(pooled->systems.size() == 1);
    CHECK(pooled->systems.front().name == "web4");
}

TEST_CASE("groups are saved, named by others, and not removed while they are") {
    searched_world world;
    for (const int seed : {1, 2, 3}) world.write(world.record(seed, enrolment::accepted));
    world.refresh();
    const auto save = [&](std::string name, std::string text) {
        return run_sync(world.groups.put(
            {.name = std::move(name), .definition = std::move(text), .description = {}},
            group_store::existing_policy::replace));
    };
    REQUIRE(save("pair", "web1 web2"));
    REQUIRE(save("odd-pair", "N@pair and tag:odd"));
    CHECK(world.find("N@pair") == numbers{1, 2});
    CHECK(world.find("group:odd-pair or web3") == numbers{1, 3});
    CHECK(save("pair", "N@odd-pair").error().detail().contains("contains itself"));
    CHECK(save("self", "web1 or N@self").error().detail().contains("contains itself"));
    CHECK(save("bad", "web1 and").error().detail().contains("at 9"));
    CHECK(save("bad", "N@nosuch").error().detail().contains("group \"nosuch\" not found"));
    CHECK(run_sync(world.groups.remove("pair", "me")).error().code() == errc::conflict);
    CHECK(run_sync(world.groups.remove("nosuch", "me")).error().code() == errc::not_found);
    REQUIRE(run_sync(world.groups.remove("odd-pair", "me")));
    CHECK(world.find("N@odd-pair") == numbers{});

    // Another server learns of it, and of the removal.
    group_store other(*world.records, world.clock, world.log);
    REQUIRE(run_sync(other.refresh()));
    CHECK(other.current()->size() == 1);
    REQUIRE(save("odd-pair", "tag:odd"));
    REQUIRE(run_sync(other.refresh()));
    CHECK(other.current()->at("odd-pair").version == 3);
    CHECK(
        run_sync(
            other.put({.name = "pair", .definition = "*"}, group_store::existing_policy::refuse))
            .error()
            .code()
        == errc::conflict);
}

TEST_CASE("a saved group that cannot be read is passed over, and hides no other") {
    const searched_world world;
    table::row strange =
        encode_group({.name = "strange", .definition = "*", .description = {}, .changed_by = {}});
    strange.at(3) = std::int64_t{0};  // a version that nobody writes
    table::batch change;
    change.writes.push_back(
        {.table = std::string(saved_groups_table),
         .rows = {
             strange, encode_group({.name = "web", .definition = "web*", .description = {}})}});
    REQUIRE(run_sync(world.records->write(std::move(change))));

    runtime::logger quiet{{.level = runtime::log_level::error}};
    runtime::system_clock clock;
    group_store groups(*world.records, clock, quiet);
    REQUIRE(run_sync(groups.refresh()));
    CHECK(groups.current()->size() == 1);
    REQUIRE(run_sync(groups.reload()));
    CHECK(groups.current()->size() == 1);
    runtime::metrics metrics;
    groups.export_to(metrics);
    CHECK(metrics.text().contains(R"(muster_rows_unreadable_total{table="saved_groups"} 1)"));
}

TEST_CASE("facts that cannot be read are passed over, and hide no others") {
    searched_world world;
    for (const int seed : {1, 2}) world.write(searched_world::record(seed, enrolment::accepted));
    world.tell(1, "no JSON");
    world.tell(2, R"({"os":"debian"})");
    REQUIRE(run_sync(world.follows.refresh()));
    REQUIRE(run_sync(world.facts.refresh()));

    CHECK(world.find("os:debian") == numbers{2});
    runtime::metrics metrics;
    world.facts.export_to(metrics);
    CHECK(metrics.text().contains(R"(muster_rows_unreadable_total{table="facts"} 1)"));
}

TEST_CASE("a document of facts becomes texts by path") {
    const auto texts = parse_fact_texts(
        R"({"os.Name":"Debian","ec2":{"tags":[{"role":"Web"},{"n":1}]},"up":true})");
    REQUIRE(texts);
    const std::vector<targeting::fact> expected{
        {"ec2.tags.n", "1"}, {"ec2.tags.role", "web"}, {"os.name", "debian"}, {"up", "true"}};
    CHECK(*texts == expected);
    CHECK(parse_fact_texts("[]").error().code() == errc::corrupt);
}

TEST_CASE("a number among the facts is searched as people write it") {
    const auto texts = parse_fact_texts(R"({"a":22.04,"b":100.0,"c":-4,"d":1e20})");
    REQUIRE(texts);
    const std::vector<targeting::fact> expected{
        {"a", "22.04"}, {"b", "100.0"}, {"c", "-4"}, {"d", "1e+20"}};
    CHECK(*texts == expected);
}

}  // namespace
}  // namespace muster::fleet
