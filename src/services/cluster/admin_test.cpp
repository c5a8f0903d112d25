#include "adapters/metastore/sqlite/sqlite_metastore.h"
#include "core/placement/slot_table.h"
#include "runtime/clock.h"
#include "services/cluster/join_service.h"
#include "services/cluster/keys.h"
#include "services/cluster/node_service.h"
#include "services/cluster/zone_service.h"
#include "tests/harness/run_sync.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

namespace muster::cluster {
namespace {

using namespace std::chrono_literals;
using harness::run_sync;
using membership::node_state;

// What admins work on: a cluster with the zone `default`.
struct fixture {
    harness::temporary_directory where{"office"};
    std::unique_ptr<sqlite_metastore> store =
        sqlite_metastore::open(where.path() / "metastore.db", {}).value();
    runtime::system_clock clock;
    std::vector<stream::message> announced;
    zone_service of_zones{*store, clock};
    node_service of_nodes{*store, clock, [this](stream::message message) {
                              announced.push_back(std::move(message));
                          }};
    join_service door{*store, clock};

    fixture() { put(keys::zone("default"), encode(zone_record{.name = "default"})); }

    void put(const std::string& key, const std::string& value) const {
        kv::transaction change;
        change.then.emplace_back(kv::put{.key = key, .value = value});
        REQUIRE(run_sync(store->commit(change)).value().committed);
    }
    void erase(const std::string& key) const {
        kv::transaction change;
        change.then.emplace_back(kv::erase{key});
        REQUIRE(run_sync(store->commit(change)).value().committed);
    }
    kv::revision written(const std::string& key) const {
        return run_sync(store->get(key)).value().found->modified;
    }
    async<std::size_t> taken_in_meanwhile(std::string zone) {
        CO_CHECK_OK(co_await of_zones.confirm(std::move(zone)));
        co_return std::size_t{0};  // counted before
    }
    void add_node(const std::string& name, node_state state, bool wiped = false) const {
        const bool existing = state != node_state::pooled && state != node_state::staged;
        put(keys::node(name),
            encode(node_record{
                .number = node_number(1),
                .name = name,
                .instance = "i1",
                .zone = existing ? "default" : "",
                .state = state,
                .wiped = wiped}));
        put(keys::server(name), encode(server_record{.name = name, .instance = "i1"}));
    }
    node_record node(const std::string& name) const {
        return decode_node(run_sync(store->get(keys::node(name))).value().found->value).value();
    }
};

async<std::size_t> nobody(std::string /*zone*/) {
    co_return std::size_t{0};
}
async<std::size_t> seven(std::string /*zone*/) {
    co_return std::size_t{7};
}

TEST_CASE("a zone is made, described and removed") {
    fixture in;
    const auto result = run_sync(in.of_zones.add("munich", {.description = "stores"}));
    REQUIRE(result.has_value());
    CHECK(result->disaster_timeout == 300s);
    CHECK(run_sync(in.of_zones.add("munich", {})).error().code() == errc::conflict);

    const auto changed = run_sync(in.of_zones.change("munich", {.disaster_timeout = 60s}));
    CHECK(changed.value().description == "stores");
    CHECK(changed.value().disaster_timeout == 60s);
    CHECK(changed.value().tasks_max == 0);
    CHECK(run_sync(in.of_zones.change("munich", {.tasks_max = 500})).value().tasks_max == 500);
    CHECK(
        decode_zone(run_sync(in.store->get(keys::zone("munich"))).value().found->value)
            .value()
            .tasks_max
        == 500);

    in.put(keys::slot_table("munich"), placement::slot_table().encode());
    in.put(keys::epoch("munich"), encode(placement::epoch(7)));
    CHECK(run_sync(in.of_zones.remove("munich", nobody)).has_value());
    CHECK_FALSE(run_sync(in.store->get(keys::slot_table("munich"))).value().found.has_value());
    CHECK(run_sync(in.store->get(keys::epoch("munich"))).value().found->value == "7");
    CHECK(
        run_sync(in.of_zones.remove("munich", nobody)).error().detail()
        == "zone \"munich\" not found");
}

TEST_CASE("a zone is not removed while anything is in it, and the default zone never") {
    fixture in;
    REQUIRE(run_sync(in.of_zones.add("germany", {})).has_value());
    REQUIRE(run_sync(in.of_zones.add("munich", {.parent = "germany"})).has_value());
    in.add_node("muster-1", node_state::staged, true);
    REQUIRE(run_sync(in.of_nodes.accept("muster-1", "munich")).has_value());

    CHECK(
        run_sync(in.of_zones.remove("munich", nobody)).error().detail()
        == "zone \"munich\" still contains 1 nodes");
    CHECK(
        run_sync(in.of_zones.remove("germany", nobody)).error().detail()
        == "zone \"germany\" still contains 1 zones");
    CHECK(run_sync(in.of_zones.remove("default", nobody)).error().code() == errc::conflict);
    REQUIRE(run_sync(in.of_zones.add("empty", {})).has_value());
    CHECK(
        run_sync(in.of_zones.remove("empty", seven)).error().detail()
        == "zone \"empty\" still contains 7 systems");
}

TEST_CASE("a zone is not removed while a rule or an unused token leads to it") {
    fixture in;
    REQUIRE(run_sync(in.of_zones.add("munich", {})).has_value());
    in.put(keys::under(keys::accept_rules, "stores"), R"({"name":"stores","zone":"munich"})");
    in.put(keys::under(keys::enrolment_tokens, "d1"), R"({"zone":"munich","used_by":""})");
    in.put(keys::under(keys::enrolment_tokens, "d2"), R"({"zone":"munich","used_by":"f00"})");

    const auto by_rule = run_sync(in.of_zones.remove("munich", nobody));
    in.erase(keys::under(keys::accept_rules, "stores"));
    const auto by_token = run_sync(in.of_zones.remove("munich", nobody));
    in.erase(keys::under(keys::enrolment_tokens, "d1"));
    const auto removed = run_sync(in.of_zones.remove("munich", nobody));

    CHECK(by_rule.error().detail() == "zone \"munich\" is used by 1 accept rules");
    CHECK(by_token.error().detail() == "zone \"munich\" is used by 1 unused enrolment tokens");
    CHECK(removed.has_value());
}

TEST_CASE("a zone that systems are taken into while it is counted is not removed") {
    fixture in;
    REQUIRE(run_sync(in.of_zones.add("munich", {})).has_value());
    const zone_service::system_counter late = [&](std::string zone) -> async<std::size_t> {
        return in.taken_in_meanwhile(std::move(zone));
    };

    const auto refused = run_sync(in.of_zones.remove("munich", late));
    const auto removed = run_sync(in.of_zones.remove("munich", nobody));
    const auto too_late = run_sync(in.of_zones.confirm("munich"));

    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code() == errc::unavailable);
    CHECK(removed.has_value());
    REQUIRE_FALSE(too_late.has_value());
    CHECK(too_late.error().code() == errc::conflict);
    CHECK(too_late.error().detail().contains("was removed while systems were accepted into it"));
    CHECK(run_sync(in.of_zones.confirm("default")).has_value());
}

// Whoever removes a zone does so on condition that its record is as it was.
TEST_CASE("a zone that gets another within it cannot be removed at the same time") {
    fixture in;
    REQUIRE(run_sync(in.of_zones.add("germany", {})).has_value());
    REQUIRE(run_sync(in.of_zones.add("munich", {})).has_value());
    const auto looked_at = in.written(keys::zone("germany"));

    REQUIRE(run_sync(in.of_zones.add("berlin", {.parent = "germany"})).has_value());

    const auto after = in.written(keys::zone("germany"));
    CHECK(after > looked_at);
    REQUIRE(run_sync(in.of_zones.change("munich", {.parent = "germany"})).has_value());
    CHECK(in.written(keys::zone("germany")) > after);
}

TEST_CASE("zones do not lie within themselves, and wrong words are refused with a sentence") {
    fixture in;
    REQUIRE(run_sync(in.of_zones.add("a", {})).has_value());
    REQUIRE(run_sync(in.of_zones.add("b", {.parent = "a"})).has_value());

    CHECK(run_sync(in.of_zones.change("a", {.parent = "b"})).error().code() == errc::invalid);
    CHECK(run_sync(in.of_zones.add("c", {.parent = "x"})).error().code() == errc::invalid);
    CHECK(run_sync(in.of_zones.add("no spaces", {})).error().code() == errc::invalid);
    CHECK(
        run_sync(in.of_zones.change("a", {.disaster_timeout = 1s})).error().code()
        == errc::invalid);
    CHECK(run_sync(in.of_zones.change("a", {.tasks_max = -1})).error().code() == errc::invalid);
}

TEST_CASE("a pooled node is staged, wipes itself and is accepted, in this order only") {
    fixture in;
    in.add_node("muster-2", node_state::pooled);
    CHECK(run_sync(in.of_nodes.accept("muster-2", "default"))
              .error()
              .detail()
              .contains("stage the node"));

    REQUIRE(run_sync(in.of_nodes.stage("muster-2")).has_value());
    CHECK(run_sync(in.of_nodes.accept("muster-2", "default"))
              .error()
              .detail()
              .contains("not yet deleted"));
    in.add_node("muster-2", node_state::staged, true);

    CHECK(
        run_sync(in.of_nodes.accept("muster-2", "nowhere")).error().detail()
        == "zone \"nowhere\" not found");
    CHECK(run_sync(in.of_nodes.accept("muster-2", "default")).value().state == node_state::serving);
    CHECK(in.node("muster-2").zone == "default");
    CHECK(in.announced.back().subject == "muster.node.serving");
}

TEST_CASE("a node that serves is drained before it is removed") {
    fixture in;
    in.add_node("muster-1", node_state::serving);
    const placement::slot_table table =
        placement::slot_table().apply_moves({{slot(1), node_number(), node_number(1)}}).value();
    in.put(keys::slot_table("default"), table.encode());

    CHECK(
        run_sync(in.of_nodes.remove("muster-1")).error().detail().contains("drain the node first"));
    REQUIRE(run_sync(in.of_nodes.drain("muster-1")).has_value());
    CHECK(run_sync(in.of_nodes.remove("muster-1")).error().detail().contains("still has slots"));
    in.put(
        keys::slot_table("default"),
        table.apply_moves({{slot(1), node_number(1), node_number(2)}}).value().encode());

    CHECK(run_sync(in.of_nodes.remove("muster-1")).has_value());
    CHECK(run_sync(in.of_nodes.drain("muster-1")).error().code() == errc::not_found);
}

TEST_CASE("a suspect is given up by an admin, if its server is not there again") {
    fixture in;
    in.add_node("muster-1", node_state::serving);
    CHECK(run_sync(in.of_nodes.evict("muster-1")).error().code() == errc::conflict);
    in.add_node("muster-2", node_state::suspect);
    for (const auto& refused :
         {run_sync(in.of_nodes.drain("muster-2")), run_sync(in.of_nodes.remove("muster-2"))})
        CHECK(refused.error().detail().contains("muster nodes evict muster-2"));
    CHECK(run_sync(in.of_nodes.evict("muster-2")).error().detail().contains("is running again"));
    in.erase(keys::server("muster-2"));

    REQUIRE(run_sync(in.of_nodes.evict("muster-2")).has_value());

    CHECK(in.node("muster-2").state == node_state::faulty);
    CHECK(in.node("muster-2").reason == "evicted by an admin");
    CHECK(run_sync(in.of_nodes.evict("muster-2")).has_value());
}

TEST_CASE("a join token opens the door to one server, again if it has to, and takes the node in") {
    fixture in;
    const join_service::join_request third{
        .name = "muster-3", .instance = "i3", .address = "muster-3:8443"};
    REQUIRE(run_sync(in.door.grant("digest", {.zone = "default", .created_by = "admin"}, 1h))
                .has_value());

    CHECK(run_sync(in.door.admit("guess", third)).error().code() == errc::denied);
    REQUIRE(run_sync(in.door.admit("digest", third)).has_value());

    CHECK(in.node("muster-3").state == node_state::offline);  // until it starts
    CHECK(in.node("muster-3").zone == "default");
    // Its answer may have been lost.
    const auto taken_in = in.node("muster-3");
    CHECK(run_sync(in.door.admit("digest", third)).has_value());
    CHECK(in.node("muster-3") == taken_in);
    auto thief = third;
    thief.instance = "i4";
    CHECK(run_sync(in.door.admit("digest", thief)).error().code() == errc::denied);
    thief = third;
    thief.name = "muster-4";
    CHECK(run_sync(in.door.admit("digest", thief)).error().code() == errc::denied);
}

TEST_CASE("a token for the pool writes no record, and a taken name is refused without using it") {
    fixture in;
    in.add_node("muster-1", node_state::serving);
    REQUIRE(run_sync(in.door.grant("digest", {.zone = "", .created_by = "admin"}, 1h)).has_value());

    const auto reserved = run_sync(
        in.door.admit("digest", {.name = "muster-1", .instance = "other", .address = "x:1"}));
    CHECK(reserved.error().code() == errc::conflict);
    const join_service::join_request fourth{.name = "muster-4", .instance = "i4", .address = "x:1"};
    CHECK(run_sync(in.door.admit("digest", fourth)).has_value());

    CHECK_FALSE(run_sync(in.store->get(keys::node("muster-4"))).value().found.has_value());
}

TEST_CASE("a join token reads back as it was written, and nothing else does") {
    std::string print;
    for (int byte = 0; byte < 32; ++byte) print += byte == 0 ? "ab" : ":ab";
    const join_token result{.secret = std::string(32, '5'), .authority = print};

    CHECK(join_token::parse(result.str()).value().secret == result.secret);
    CHECK(join_token::parse(result.str()).value().authority == result.authority);
    CHECK(join_token::parse("").error().code() == errc::invalid);
    CHECK(join_token::parse(result.secret).error().code() == errc::invalid);
    CHECK(join_token::parse(result.str() + "0").error().code() == errc::invalid);
}

}  // namespace
}  // namespace muster::cluster
