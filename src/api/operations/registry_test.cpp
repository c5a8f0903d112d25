#include "api/operations/registry.h"

#include "tests/fixtures/api/engines_fixture.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <memory>

namespace muster::api {
namespace {

using namespace api;
using access::right;
using harness::run_sync;

access::permissions as(const char* role, const char* zone) {
    return access::permissions({{.role = role, .zone = zone}}, access::built_in_roles());
}

// Zones eu with de below it, and us; a node and a system in de.
struct house : test::engines_fixture {
    people::people_cache people;
    std::shared_ptr<api_context> desk;
    struct one_system final : system_directory {
        std::optional<std::string> zone_of(const std::string& named) const override {
            return named == "web1" ? std::optional<std::string>("de") : std::nullopt;
        }
        std::vector<presence::missing_node> missing_nodes() const override {
            return {{.name = "n1", .zone = "de"}, {.name = "n2", .zone = "us"}};
        }
    };
    one_system systems;
    registry all{clock, &systems};
    int done = 0;
    std::optional<std::set<std::string>> zones_seen;

    house() : engines_fixture("registry") {
        auto now = std::make_shared<cluster::topology>();
        now->zones["eu"] = {.name = "eu"};
        now->zones["de"] = {.name = "de", .parent = "eu"};
        now->zones["us"] = {.name = "us"};
        now->nodes["n1"] = {.number = node_number(1), .name = "n1", .zone = "de"};
        places.publish(std::move(now));
        desk = std::make_shared<api_context>(
            dependencies_for(people), clock, people::people_services::options());
    }

    void declare(operation operation) {
        REQUIRE(all.add(std::move(operation), handler(this, &house::do_it)).has_value());
    }
    async<reply> do_it(call call) {
        ++done;
        zones_seen = call.zones();
        if (call.operation().name == "things.break") co_return fail(errc::conflict, "it is shut");
        co_return reply{boost::json::object{{"ok", true}}};
    }

    result<reply> ask(const char* name, const access::permissions& may, value::record record = {}) {
        const auto* which = all.find(name);
        REQUIRE(which != nullptr);
        call call(
            which->operation,
            caller{people::identity{.user = "ada", .may = may}, desk, "192.0.2.7"},
            value(std::move(record)));
        return run_sync(all.perform(*which, std::move(call)));
    }
};

operation reading(const char* name, scope within, std::vector<parameter> takes = {}) {
    return {
        .name = name,
        .summary = "Reads",
        .path = std::string("/") + name + (takes.empty() ? "" : "/{" + takes[0].name + "}"),
        .takes = std::move(takes),
        .needed = right::topology_read,
        .within = within};
}

TEST_CASE("what is declared twice or badly is refused") {
    house fixture;
    fixture.declare(reading("things.list", scope::cluster));

    const auto nothing = handler(&fixture, &house::do_it);
    CHECK(
        fixture.all.add(reading("things.list", scope::cluster), nothing).error().code()
        == errc::conflict);
    auto same_path = reading("things.other", scope::cluster);
    same_path.path = "/things.list";
    CHECK(fixture.all.add(same_path, nothing).error().code() == errc::conflict);
    CHECK(fixture.all.add({.name = "things"}, nothing).error().code() == errc::invalid);
}

TEST_CASE("arguments are checked before anything is done") {
    house fixture;
    fixture.declare(
        {.name = "things.create",
         .summary = "Adds",
         .method = verb::post,
         .path = "/things",
         .takes = {in_body("name", name()), optional_in_body("size", integer(1, 9))}});

    const auto wrong = [&](value::record record) {
        return fixture.ask("things.create", as("admin", ""), std::move(record)).error();
    };
    CHECK(wrong({}).detail().contains("`name`"));
    CHECK(wrong({{"name", 7}}).detail().contains("`name`"));
    CHECK(wrong({{"name", "a"}, {"size", 10}}).detail().contains("`size`"));
    CHECK(wrong({{"name", "a"}, {"colour", "red"}}).detail().contains("colour"));
    CHECK(wrong({{"name", std::string(300, 'x')}}).code() == errc::invalid);
    CHECK(fixture.done == 0);
    CHECK(fixture.ask("things.create", as("admin", ""), {{"name", "a"}, {"size", 9}}).has_value());
    CHECK(fixture.done == 1);
}

TEST_CASE("what tells who is attached names the nodes whose part is missing where the caller may") {
    house fixture;
    auto response = reading("things.list", scope::filtered);
    response.gives = record_of({required("ok", flag())});
    response.includes_presence = true;
    fixture.declare(response);
    fixture.declare(reading("things.other", scope::filtered));

    const auto missing = [&](const char* name, const char* zone) {
        const auto input = fixture.ask(name, as("viewer", zone)).value();
        const auto* match = input.content.as_object().if_contains("missing_nodes");
        return match == nullptr ? "nothing" : boost::json::serialize(*match);
    };
    CHECK(missing("things.list", "") == R"(["n1","n2"])");
    CHECK(missing("things.list", "eu") == R"(["n1"])");
    CHECK(missing("things.other", "") == "nothing");
    CHECK(fixture.all.find("things.list")->operation.gives.members().size() == 2);
}

TEST_CASE("common data is every node's") {
    house fixture;
    auto add = reading("groups.create", scope::cluster);
    add.method = verb::post;
    fixture.declare(add);
    fixture.declare(reading("groups.list", scope::cluster));
    CHECK(fixture.all.find("groups.create")->operation.spans == span::all);
    CHECK(fixture.all.find("groups.list")->operation.spans == span::local);
}

TEST_CASE("a right counts in its zone and below, and nowhere else") {
    house fixture;
    fixture.declare(reading("cluster.read", scope::cluster));
    fixture.declare(reading("zones.read", scope::zone, {in_path("zone", name())}));
    fixture.declare(reading("systems.read", scope::system, {in_path("system", name())}));
    fixture.declare(reading("nodes.read", scope::node, {in_path("node", name())}));

    const auto in_eu = as("viewer", "eu");
    const auto in_us = as("viewer", "us");
    CHECK(fixture.ask("cluster.read", in_eu).error().code() == errc::denied);
    CHECK(fixture.ask("zones.read", in_eu, {{"zone", "de"}}).has_value());
    CHECK(fixture.ask("zones.read", in_us, {{"zone", "de"}}).error().code() == errc::denied);
    CHECK(fixture.ask("systems.read", in_eu, {{"system", "web1"}}).has_value());
    CHECK(fixture.ask("systems.read", in_us, {{"system", "web1"}}).error().code() == errc::denied);
    CHECK(
        fixture.ask("systems.read", in_us, {{"system", "web2"}}).error().code() == errc::not_found);
    CHECK(fixture.ask("nodes.read", in_eu, {{"node", "n1"}}).has_value());
    CHECK(fixture.ask("nodes.read", in_us, {{"node", "n1"}}).error().code() == errc::denied);
    const auto refusal = fixture.ask("nodes.read", in_us, {{"node", "n1"}}).error();
    CHECK(refusal.detail() == "nodes.read needs the right topology.read in zone \"de\"");
}

TEST_CASE("what is shown to somebody of some zones only says which") {
    house fixture;
    fixture.declare(reading("things.list", scope::filtered));

    REQUIRE(fixture.ask("things.list", as("viewer", "eu")).has_value());
    CHECK(fixture.zones_seen == std::set<std::string>{"de", "eu"});
    REQUIRE(fixture.ask("things.list", as("viewer", "")).has_value());
    CHECK_FALSE(fixture.zones_seen.has_value());
    CHECK(fixture.ask("things.list", {}).error().code() == errc::denied);
}

TEST_CASE("every change is on record, done or refused, and no reading is") {
    house fixture;
    const auto change = [&](const char* name) {
        fixture.declare(
            {.name = name,
             .summary = "Changes",
             .method = verb::post,
             .path = std::string("/") + name + "/{zone}",
             .takes = {in_path("zone", api::name())},
             .needed = right::topology_change,
             .within = scope::zone});
    };
    change("things.change");
    change("things.break");
    fixture.declare(reading("things.list", scope::filtered));

    CHECK(fixture.ask("things.list", as("admin", "")).has_value());
    CHECK(fixture.audit().empty());
    CHECK(fixture.ask("things.change", as("admin", "eu"), {{"zone", "de"}}).has_value());
    CHECK_FALSE(fixture.ask("things.break", as("admin", "eu"), {{"zone", "de"}}).has_value());
    CHECK_FALSE(fixture.ask("things.change", as("viewer", ""), {{"zone", "us"}}).has_value());

    const auto response = fixture.audit();
    REQUIRE(response.size() == 3);
    CHECK(response[0].contains("ada|things.change"));
    CHECK(response[0].contains("done|de"));
    CHECK(response[1].contains("refused|de: it is shut"));
    CHECK(response[2].contains("refused|us: things.change needs the right topology.change"));
    CHECK(fixture.done == 3);
}

}  // namespace
}  // namespace muster::api
