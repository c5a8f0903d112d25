#include "roles/driver/driver.h"

#include "adapters/metastore/sqlite/sqlite_metastore.h"
#include "base/prng.h"
#include "core/kv/validate.h"
#include "core/placement/packed.h"
#include "runtime/clock.h"
#include "runtime/task_group.h"
#include "services/cluster/keys.h"
#include "services/cluster/topology_follower.h"
#include "tests/harness/run_sync.h"
#include "tests/harness/temporary_directory.h"

#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace muster::driver {
namespace {

using namespace std::chrono_literals;
using harness::run_sync;
using membership::node_state;

void tell_nobody(const stream::message& /*what*/) {}

// Empty slots, no reports, and peers that reach nobody.
class quiet_inputs final : public driver_inputs {
public:
    explicit quiet_inputs(const cluster::topology_follower& follower) : follower_(follower) {}

    bool topology_complete() const override { return follower_.complete(); }
    placement::weights weights(const std::string& /*zone*/) const override { return {}; }
    std::vector<load_report> loads() const override { return {}; }
    async<bool> probe(cluster::server_record /*peer*/, std::string /*address*/) override {
        co_return false;
    }

private:
    const cluster::topology_follower& follower_;
};

// A metastore that notes what the driver commits of slot tables, and lets something happen before a
// commit of a node's record.
class noting_metastore final : public metastore {
public:
    struct table_commit {
        std::size_t bytes = 0;
        std::set<std::string> checked;  // keys that must be as they were
        placement::slot_table table;
    };

    explicit noting_metastore(metastore& real) : real_(real) {}

    std::vector<table_commit> noted;
    std::function<void(const std::string& node)> before_node = [](const std::string&) {
    };

    async<kv::lookup> get(std::string key) override { return real_.get(std::move(key)); }
    async<kv::commit_result> commit(kv::transaction change) override {
        for (const auto& item : change.then) {
            const auto* what = std::get_if<kv::put>(&item);
            if (what != nullptr && what->key.starts_with(cluster::keys::nodes))
                before_node(what->key.substr(cluster::keys::nodes.size()));
            if (what == nullptr || what->key != cluster::keys::slot_table("default")) continue;
            table_commit next{.bytes = kv::bytes_of(change)};
            for (const auto& condition : change.when)
                if (const auto* same = std::get_if<kv::unchanged>(&condition))
                    next.checked.insert(same->key);
            next.table = placement::slot_table::decode(what->value).value();
            noted.push_back(std::move(next));
        }
        return real_.commit(std::move(change));
    }
    async<kv::page> range(kv::range_request request) override {
        return real_.range(std::move(request));
    }
    async<kv::lease_id> grant(std::chrono::seconds ttl) override { return real_.grant(ttl); }
    async<void> keep_alive(kv::lease_id lease) override { return real_.keep_alive(lease); }
    async<void> revoke(kv::lease_id lease) override { return real_.revoke(lease); }
    std::unique_ptr<metastore_watch> watch(std::string prefix, kv::revision from) override {
        return real_.watch(std::move(prefix), from);
    }
    async<void> compact(kv::revision oldest) override { return real_.compact(oldest); }

private:
    metastore& real_;
};

// The cluster's record, a driver that leads, and what it sees of the record.
struct room {
    boost::asio::io_context loop;  // outlives the store, whose thread answers to it
    harness::temporary_directory where{"driver"};
    std::unique_ptr<sqlite_metastore> store =
        sqlite_metastore::open(where.path() / "metastore.db", {}).value();
    noting_metastore noting{*store};
    runtime::system_clock clock;
    runtime::logger log{{.level = runtime::log_level::error}};
    cluster::topology_cache known;
    cluster::topology_follower follower{*store, clock, known, log, {}};
    quiet_inputs inputs{follower};
    driver leading{
        {.metastore = noting,
         .clock = clock,
         .topology = known,
         .publish = tell_nobody,
         .log = log},
        inputs,
        {.server = "muster-1",
         .term = 2s,
         .tick = 20ms,
         .plan_interval = 20ms,
         .pooled_lifetime = 24h}};

    static void report(const std::string& task, const std::exception_ptr& /*failure*/) {
        FAIL(task);
    }
    runtime::task_group following{loop.get_executor(), report};
    runtime::task_group driving{loop.get_executor(), report};

    ~room() {
        end(driving);
        end(following);
    }

    void end(runtime::task_group& tasks) {
        tasks.cancel();
        loop.restart();
        while (tasks.size() > 0) loop.run_one_for(100ms);
    }
    void until(const std::function<bool()>& holds) {
        const instant end = clock.now() + 20s;
        loop.restart();  // it may have run out of work
        while (!holds() && clock.now() < end) loop.run_one_for(20ms);
        REQUIRE(holds());
    }
    void put(const std::string& key, const std::string& value) const {
        kv::transaction change;
        change.then.emplace_back(kv::put{.key = key, .value = value});
        REQUIRE(run_sync(store->commit(change)).value().committed);
    }
    void add_node(const std::string& name, node_state state, std::chrono::hours ago) {
        const cluster::node_record node{
            .number = node_number(++last_number),
            .name = name,
            .instance = "data of " + name,
            .address = name + ":8443",
            .zone = "default",
            .state = state,
            .reason = {},
            .since = clock.wall() - ago};
        put(cluster::keys::node(name), encode(node));
    }
    void list_server(const std::string& name) const {
        const cluster::server_record server{
            .name = name,
            .instance = "data of " + name,
            .address = name + ":8443",
            .roles = {"node"},
            .version = "1",
            .started = clock.wall()};
        put(cluster::keys::server(name), encode(server));
    }
    bool has_node(const std::string& name) const {
        return run_sync(store->get(cluster::keys::node(name))).value().found.has_value();
    }

    node_state state_of(const std::string& name) const {
        const auto stored = run_sync(store->get(cluster::keys::node(name))).value();
        return cluster::decode_node(stored.found->value).value().state;
    }

    // What the driver sees from now on is what stands in the store now, and it takes it for new.
    void see_no_more() {
        following.spawn("follow", follower.run());
        until([this] {
            return follower.complete()
                   && static_cast<std::int64_t>(known.read()->nodes.size()) == last_number;
        });
        end(following);
        auto old = std::make_shared<cluster::topology>(*known.read());
        old->revision = kv::revision(1'000'000);
        known.publish(old);
    }

    std::int64_t last_number = 0;
};

TEST_CASE("a node that knocked and went away is forgotten after its time, and nobody else is") {
    room fixture;
    fixture.add_node("accepted", node_state::offline, 100h);
    fixture.add_node("given-up", node_state::faulty, 100h);
    fixture.add_node("knocking", node_state::pooled, 100h);
    fixture.list_server("knocking");
    fixture.add_node("knocked-lately", node_state::pooled, 23h);
    fixture.add_node("staged", node_state::staged, 100h);
    fixture.add_node("zz-forgotten", node_state::pooled, 25h);

    fixture.following.spawn("follow", fixture.follower.run());
    fixture.driving.spawn("drive", fixture.leading.run());
    fixture.until([&] { return !fixture.has_node("zz-forgotten"); });

    // They come before it in the order it looks in.
    for (const auto* name : {"accepted", "given-up", "knocking", "knocked-lately", "staged"}) {
        CAPTURE(name);
        CHECK(fixture.has_node(name));
    }
}

TEST_CASE("a forgotten node that knocks again before it is removed stays") {
    room fixture;
    fixture.add_node("back-again", node_state::pooled, 25h);
    fixture.add_node("known-anew", node_state::pooled, 25h);
    fixture.add_node("zz-forgotten", node_state::pooled, 25h);
    fixture.see_no_more();

    fixture.list_server("back-again");
    fixture.add_node("known-anew", node_state::staged, 0h);
    fixture.driving.spawn("drive", fixture.leading.run());
    fixture.until([&] { return !fixture.has_node("zz-forgotten"); });

    CHECK(fixture.has_node("back-again"));
    CHECK(fixture.has_node("known-anew"));
}

// A zone whose first node has all slots, though a second one is there: half of them are to move.
void set_up_uneven_zone(room& fixture) {
    const cluster::zone_record zone{
        .name = "default", .description = {}, .parent = {}, .made = fixture.clock.wall()};
    fixture.put(cluster::keys::zone("default"), encode(zone));
    for (const auto* name : {"full", "new"}) {
        fixture.add_node(name, node_state::serving, 1h);
        fixture.list_server(name);
    }
    std::vector<placement::move> moves;
    for (std::size_t number = 0; number < slot::count; ++number)
        moves.push_back({.moved_slot = slot(number), .from = node_number(), .to = node_number(1)});
    const auto table = placement::slot_table().apply_moves(moves).value();
    fixture.put(cluster::keys::slot_table("default"), table.encode());
    fixture.put(cluster::keys::epoch("default"), cluster::encode(table.current_epoch()));
}

std::size_t slots_of_the_new_node(const room& fixture) {
    const auto stored = run_sync(fixture.store->get(cluster::keys::slot_table("default"))).value();
    const auto owners = placement::slot_table::decode(stored.found->value).value().by_owner();
    const auto it = owners.find(node_number(2));
    return it == owners.end() ? 0 : it->second.size();
}

TEST_CASE("slots are spread between two nodes that serve") {
    room fixture;
    set_up_uneven_zone(fixture);
    fixture.see_no_more();
    fixture.driving.spawn("drive", fixture.leading.run());

    fixture.until([&] { return slots_of_the_new_node(fixture) > 0; });

    CHECK(slots_of_the_new_node(fixture) == 256);  // a step of moves_per_step
}

TEST_CASE("a plan is void when a node that was to give slots went away meanwhile: it keeps them") {
    room fixture;
    set_up_uneven_zone(fixture);
    fixture.see_no_more();

    fixture.last_number = 0;
    fixture.add_node("full", node_state::offline, 0h);
    fixture.driving.spawn("drive", fixture.leading.run());
    fixture.until([&] { return fixture.leading.counts().plans >= 3; });

    CHECK(slots_of_the_new_node(fixture) == 0);
}

TEST_CASE("a node that says it goes down while another is missed is not missed itself") {
    room fixture;
    fixture.put(
        cluster::keys::zone("default"),
        encode(cluster::zone_record{.name = "default", .made = fixture.clock.wall()}));
    for (const auto* name : {"lost", "stopping", "third", "fourth", "fifth"})
        fixture.add_node(name, node_state::serving, 1h);
    for (const auto* name : {"third", "fourth", "fifth"}) fixture.list_server(name);
    fixture.noting.before_node = [&](const std::string& node) {
        if (node != "lost") return;
        fixture.last_number = 1;
        fixture.add_node("stopping", node_state::offline, 0h);
        auto next = std::make_shared<cluster::topology>(*fixture.known.read());
        const auto stored = run_sync(fixture.store->get(cluster::keys::node("stopping"))).value();
        next->nodes["stopping"].state = node_state::offline;
        next->node_revisions["stopping"] = stored.found->modified;
        fixture.known.publish(next);
    };
    fixture.see_no_more();

    fixture.driving.spawn("drive", fixture.leading.run());
    fixture.until([&] { return fixture.state_of("lost") == node_state::suspect; });
    fixture.until([&] { return fixture.leading.counts().plans >= 1; });

    CHECK(fixture.state_of("stopping") == node_state::offline);
}

std::string numbered(std::size_t number) {
    return "node-" + std::to_string(number);
}

// A zone in which every slot was moved by a plan of its own, and whose last node is lost.
placement::slot_table set_up_large_zone(room& fixture, std::size_t nodes) {
    const cluster::zone_record zone{.name = "default", .made = fixture.clock.wall()};
    fixture.put(cluster::keys::zone("default"), encode(zone));
    for (std::size_t number = 1; number <= nodes; ++number) {
        const bool lost = number == nodes;
        fixture.add_node(numbered(number), lost ? node_state::faulty : node_state::serving, 1h);
        if (!lost) fixture.list_server(numbered(number));
    }
    prng random(4711);
    std::vector<std::int64_t> owners;
    std::vector<std::int64_t> epochs;
    for (std::size_t number = 0; number < slot::count; ++number) {
        owners.push_back(static_cast<std::int64_t>(1 + number % nodes));
        epochs.push_back(static_cast<std::int64_t>(1 + random.below(200'000)));
    }
    std::string bytes(1, '\1');
    placement::write_varint(bytes, 200'000);
    placement::pack(bytes, owners);
    placement::pack(bytes, epochs);
    fixture.put(cluster::keys::slot_table("default"), bytes);
    fixture.put(cluster::keys::epoch("default"), cluster::encode(placement::epoch(200'000)));
    return placement::slot_table::decode(bytes).value();
}

// Whose record was not checked when they were given slots.
std::set<node_number> unchecked(
    const placement::slot_table& before, const noting_metastore::table_commit& commit) {
    std::set<node_number> node_numbers;
    for (std::size_t number = 0; number < slot::count; ++number) {
        const auto owner = commit.table.at(slot(number)).owner;
        if (owner == before.at(slot(number)).owner) continue;
        const auto name = numbered(static_cast<std::size_t>(owner.value()));
        if (!commit.checked.contains(cluster::keys::node(name))) node_numbers.insert(owner);
    }
    return node_numbers;
}

TEST_CASE("a failover among a thousand nodes is one transaction of less than 64 KiB") {
    room fixture;
    const auto before = set_up_large_zone(fixture, 1'000);
    fixture.see_no_more();
    fixture.driving.spawn("drive", fixture.leading.run());

    fixture.until([&] { return fixture.leading.counts().moves > 0; });

    const auto& failover = fixture.noting.noted.front();
    MESSAGE("a failover's transaction: ", failover.bytes, " bytes");
    CHECK(failover.bytes < 64U * 1024);
    CHECK_FALSE(failover.table.by_owner().contains(node_number(1'000)));
    CHECK(unchecked(before, failover).empty());
}

TEST_CASE("no node is given slots unchecked, however many take some") {
    room fixture;
    const auto before = set_up_large_zone(fixture, 130);
    fixture.see_no_more();
    fixture.driving.spawn("drive", fixture.leading.run());

    fixture.until([&] { return fixture.leading.counts().moves > 0; });

    const auto& first = fixture.noting.noted.front();
    CHECK(first.checked.size() <= kv::limits::conditions_max);
    CHECK(unchecked(before, first).empty());
    const auto left = first.table.by_owner();
    const auto lost = left.find(node_number(130));
    CHECK((lost == left.end() || lost->second.size() < 10));
}

}  // namespace
}  // namespace muster::driver
