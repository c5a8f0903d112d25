#include "adapters/metastore/sqlite/sqlite_metastore.h"
#include "core/placement/slot_table.h"
#include "runtime/clock.h"
#include "runtime/task_group.h"
#include "services/cluster/election.h"
#include "services/cluster/keys.h"
#include "services/cluster/node_record_reconciler.h"
#include "services/cluster/registration.h"
#include "services/cluster/topology_follower.h"
#include "tests/harness/run_sync.h"
#include "tests/harness/temporary_directory.h"

#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <exception>
#include <functional>
#include <memory>
#include <vector>

namespace muster::cluster {
namespace {

using namespace std::chrono_literals;
using harness::run_sync;
using membership::node_state;

constexpr std::chrono::seconds ttl{2};

// The cluster's record, and an event loop on which servers live beside each other.
struct room {
    boost::asio::io_context loop;  // outlives the store, whose thread answers to it
    harness::temporary_directory where{"membership"};
    std::unique_ptr<sqlite_metastore> store =
        sqlite_metastore::open(where.path() / "metastore.db", {}).value();
    runtime::system_clock clock;
    runtime::logger log{{.level = runtime::log_level::error}};

    void until(const std::function<bool()>& holds) {
        const instant end = clock.now() + 20s;
        while (!holds() && clock.now() < end) loop.run_one_for(100ms);
        REQUIRE(holds());
    }

    void put(const std::string& key, const std::string& value) const {
        kv::transaction change;
        change.then.emplace_back(kv::put{.key = key, .value = value});
        REQUIRE(run_sync(store->commit(change)).value().committed);
    }
};

// One server's part in the cluster.
struct member {
    room& in;
    topology_cache known;
    readiness noted;
    lease_guard guard;
    std::vector<stream::message> announced;
    int wipes = 0;
    topology_follower follower;
    registration listing;
    node_record_reconciler node;
    runtime::task_group tasks;

    member(
        room& where,
        const std::string& name,
        const std::string& instance = "i1",
        topology_follower::options following = {})
        : in(where),
          follower(*in.store, in.clock, known, in.log, following),
          listing(
              *in.store,
              {.clock = in.clock,
               .readiness = noted,
               .guard = guard,
               .topology = known,
               .log = in.log},
              {.server =
                   {.name = name,
                    .instance = instance,
                    .address = name + ":8443",
                    .roles = {"node"},
                    .version = "1",
                    .started = in.clock.wall()},
               .ttl = ttl}),
          node(
              *in.store,
              {.clock = in.clock,
               .topology = known,
               .publish =
                   [this](stream::message message) { announced.push_back(std::move(message)); },
               .log = in.log},
              {.identity = {.name = name, .instance = instance, .address = name + ":8443"},
               .wipe =
                   [this] {
                       ++wipes;
                   }}),
          tasks(in.loop.get_executor(), [](const std::string& task, const std::exception_ptr&) {
              FAIL(task);
          }) {
        follower.wake_on_change(node);
        tasks.spawn("follow", follower.run());
        tasks.spawn("listed", listing.run());
        tasks.spawn("node", node.run());
    }

    // As kill -9: its lease is left to end by itself.
    ~member() {
        tasks.cancel();
        in.loop.restart();
        while (tasks.size() > 0) in.loop.run_one_for(100ms);
    }

    void stop() {
        tasks.cancel();
        while (tasks.size() > 0) in.loop.run_one_for(100ms);
        REQUIRE(run_sync(node.go_offline()).has_value());
        REQUIRE(run_sync(listing.leave()).has_value());
    }

    const node_record* record(const std::string& name) {
        seen = known.read();
        const auto it = seen->nodes.find(name);
        return it == seen->nodes.end() ? nullptr : &it->second;
    }
    bool sees(const std::string& name, node_state state) {
        const auto* match = record(name);
        return match != nullptr && match->state == state;
    }
    bool acts() const { return guard.holds(in.clock.now()); }

    std::shared_ptr<const topology> seen;
};

TEST_CASE("the first node is taken in at once, the second one waits in the pool") {
    room cluster;
    member first(cluster, "muster-1");
    cluster.until([&] { return first.sees("muster-1", node_state::serving); });
    member second(cluster, "muster-2");

    cluster.until([&] { return first.sees("muster-2", node_state::pooled); });

    CHECK(first.record("muster-1")->zone == default_zone);
    CHECK(first.record("muster-1")->number == node_number(1));
    CHECK(first.record("muster-2")->number == node_number(2));
    CHECK(first.known.read()->zones.contains(default_zone));
    CHECK(second.announced.back().subject == "muster.node.pooled");
}

TEST_CASE("a planned stop leaves the node offline, a start brings it back as it was") {
    room cluster;
    member watcher(cluster, "muster-1");
    cluster.until([&] { return watcher.sees("muster-1", node_state::serving); });
    auto record = *watcher.record("muster-1");
    record.name = "muster-2";
    record.number = node_number(2);
    cluster.put(keys::node("muster-2"), encode(record));
    {
        member stopping(cluster, "muster-2");
        cluster.until([&] { return stopping.acts(); });

        stopping.stop();

        CHECK_FALSE(stopping.acts());
        cluster.until([&] { return watcher.sees("muster-2", node_state::offline); });
        cluster.until([&] { return !watcher.known.read()->servers.contains("muster-2"); });
    }
    member back(cluster, "muster-2");
    cluster.until([&] { return watcher.sees("muster-2", node_state::serving); });
    CHECK(watcher.record("muster-2")->number == node_number(2));
}

TEST_CASE("a later start of a server is listed later, whatever its clock says") {
    room cluster;
    std::int64_t before = 0;
    for (int start = 0; start < 2; ++start) {
        cluster.loop.restart();
        member server(cluster, "muster-1");
        CHECK(server.listing.first_listed() == 0);
        cluster.until([&] { return server.listing.first_listed() != 0; });
        CHECK(server.listing.first_listed() > before);
        before = server.listing.first_listed();
    }
}

TEST_CASE("a node that was given up finds itself in the pool again and tells it") {
    room cluster;
    const node_record given_up{
        .number = node_number(7),
        .name = "muster-7",
        .instance = "i1",
        .address = "muster-7:8443",
        .zone = "default",
        .state = node_state::faulty,
        .leaving = true};
    cluster.put(keys::node("muster-7"), encode(given_up));

    member back(cluster, "muster-7");

    cluster.until([&] { return back.sees("muster-7", node_state::pooled); });
    CHECK_FALSE(back.record("muster-7")->leaving);
    CHECK(back.announced.back().payload.contains("marked faulty"));
}

TEST_CASE("a staged node drops what it has and says so") {
    room cluster;
    member node(cluster, "muster-1");
    cluster.until([&] { return node.record("muster-1") != nullptr; });
    auto staged = *node.record("muster-1");
    staged.state = node_state::staged;
    cluster.put(keys::node("muster-1"), encode(staged));

    cluster.until([&] { return node.record("muster-1")->wiped; });

    CHECK(node.sees("muster-1", node_state::staged));
    CHECK(node.wipes == 1);
}

TEST_CASE("a record that cannot be read stays as it was, also when everything is read again") {
    room cluster;
    member watcher(cluster, "muster-1", "i1", {.reconcile_interval = 10ms});
    cluster.until([&] { return watcher.sees("muster-1", node_state::serving); });
    const auto written = watcher.known.read()->node_revisions.at("muster-1");
    CHECK(watcher.known.read()->is_readable(default_zone));

    cluster.put(keys::node("muster-1"), R"({"of": "a newer version"})");
    cluster.until([&] { return !watcher.known.read()->unreadable.empty(); });
    struct counter final : runtime::wakeup {
        int readings = 0;
        void wake() override { ++readings; }
    };
    counter changes;
    watcher.follower.wake_on_change(changes);
    cluster.until([&] { return changes.readings > 5; });

    CHECK(watcher.sees("muster-1", node_state::serving));
    const auto existing = watcher.known.read();
    CHECK(existing->find_node(node_number(1)) != nullptr);
    CHECK(existing->node_revisions.at("muster-1") == written);
    CHECK_FALSE(existing->is_readable(default_zone));
    CHECK(existing->is_readable("elsewhere"));
}

TEST_CASE("a zone where a node that was never understood has slots is not understood") {
    topology topology;
    topology.unreadable.insert(keys::node("muster-9"));
    CHECK(topology.is_readable("default"));
    const std::vector<placement::move> moves{
        {.moved_slot = slot(5), .from = node_number(), .to = node_number(9)}};
    topology.slots["default"] =
        std::make_shared<placement::slot_table>(placement::slot_table().apply_moves(moves).value());

    CHECK_FALSE(topology.is_readable("default"));
    CHECK(topology.find_owner("default", slot(5)).node == nullptr);
}

TEST_CASE("a living node's name is not taken by another data directory") {
    const node_record node{.name = "muster-1", .instance = "i1", .state = node_state::serving};

    const auto refused =
        find_record_update(node, {.name = "muster-1", .instance = "i2", .address = "x"}, {});

    CHECK(refused.error().code() == errc::conflict);
    CHECK(refused.error().detail().contains("muster nodes remove muster-1"));
}

TEST_CASE("a server whose slot table is old is not sure of anything until the newest came") {
    room cluster;
    cluster.put(keys::epoch("default"), encode(placement::epoch(3)));
    member node(cluster, "muster-1");
    cluster.until([&] { return node.sees("muster-1", node_state::serving); });
    const instant later = cluster.clock.now() + 2 * ttl;
    cluster.until([&] { return cluster.clock.now() > later; });
    REQUIRE_FALSE(node.acts());

    placement::slot_table table;
    for (int epoch = 0; epoch < 3; ++epoch) table = table.apply_moves({}).value();
    cluster.put(keys::slot_table("default"), table.encode());

    cluster.until([&] { return node.acts(); });
}

TEST_CASE("one of several candidates leads, and another one as soon as it leaves") {
    room cluster;
    const auto candidate = [&](const std::string& name) {
        return std::make_unique<election>(
            *cluster.store,
            cluster.clock,
            cluster.log,
            election::options{
                .key = "driver/active",
                .candidate = name,
                .term_key = "topology/driver",
                .ttl = 2s});
    };
    const auto first = candidate("muster-1");
    const auto second = candidate("muster-2");
    runtime::task_group first_runs(cluster.loop.get_executor(), [](const auto&, const auto&) {});
    runtime::task_group second_runs(cluster.loop.get_executor(), [](const auto&, const auto&) {});
    first_runs.spawn("first", first->run());
    cluster.until([&] { return first->is_leader(); });
    second_runs.spawn("second", second->run());
    const instant later = cluster.clock.now() + 3s;
    cluster.until([&] { return cluster.clock.now() > later; });
    CHECK(first->is_leader());
    CHECK_FALSE(second->is_leader());
    const auto there = run_sync(cluster.store->get("driver/active")).value();
    CHECK(leader_of(there.found->value) == "muster-1");

    first_runs.cancel();
    while (first_runs.size() > 0) cluster.loop.run_one_for(100ms);
    REQUIRE(run_sync(first->leave()).has_value());

    CHECK_FALSE(first->is_leader());
    cluster.until([&] { return second->is_leader(); });
    second_runs.cancel();
    while (second_runs.size() > 0) cluster.loop.run_one_for(100ms);
}

}  // namespace
}  // namespace muster::cluster
