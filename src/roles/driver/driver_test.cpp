#include "roles/driver/driver.h"

#include "adapters/metastore/sqlite/sqlite_metastore.h"
#include "roles/cluster/keys.h"
#include "roles/cluster/topology_follower.h"
#include "runtime/clock.h"
#include "runtime/task_group.h"
#include "tests/harness/answer_of.h"
#include "tests/harness/temporary_directory.h"

#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <string>

namespace muster::driver {
namespace {

using namespace std::chrono_literals;
using harness::answer_of;
using membership::node_state;

void tell_nobody(const stream::message& /*what*/) {}

async<bool> nobody_is_reached(cluster::server_record /*peer*/, std::string /*address*/) {
    co_return false;
}

// The cluster's record, a driver that leads, and what it sees of the record.
struct room {
    boost::asio::io_context loop;  // outlives the store, whose thread answers to it
    harness::temporary_directory where{"driver"};
    std::unique_ptr<sqlite_metastore> store =
        sqlite_metastore::open(where.path() / "metastore.db", {}).value();
    runtime::system_clock time;
    runtime::logger log{{.level = runtime::log_level::error}};
    cluster::topology_cell known;
    cluster::topology_follower follower{*store, time, known, log, {}};
    driver leading{
        {.store = *store, .time = time, .topology = known, .announce = tell_nobody, .log = log},
        {.topology_complete = [this] { return follower.complete(); },
         .weights = [](const std::string& /*zone*/) { return placement::weights{}; },
         .probe = nobody_is_reached},
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
        const instant end = time.now() + 20s;
        loop.restart();  // it may have run out of work
        while (!holds() && time.now() < end) loop.run_one_for(20ms);
        REQUIRE(holds());
    }
    void put(const std::string& key, const std::string& value) const {
        kv::transaction change;
        change.then.emplace_back(kv::put{.key = key, .value = value});
        REQUIRE(answer_of(store->commit(change)).value().committed);
    }
    void add_node(const std::string& name, node_state state, std::chrono::hours ago) {
        const cluster::node_record made{
            .number = node_number(++last_number),
            .name = name,
            .instance = "data of " + name,
            .address = name + ":8443",
            .zone = "default",
            .state = state,
            .reason = {},
            .since = time.wall() - ago};
        put(cluster::keys::node(name), encode(made));
    }
    void list_server(const std::string& name) const {
        const cluster::server_record made{
            .name = name,
            .instance = "data of " + name,
            .address = name + ":8443",
            .roles = {"node"},
            .version = "1",
            .started = time.wall()};
        put(cluster::keys::server(name), encode(made));
    }
    bool has_node(const std::string& name) const {
        return answer_of(store->get(cluster::keys::node(name))).value().found.has_value();
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
        old->at = kv::revision(1'000'000);
        known.publish(old);
    }

    std::int64_t last_number = 0;
};

TEST_CASE("a node that knocked and went away is forgotten after its time, and nobody else is") {
    room here;
    here.add_node("accepted", node_state::offline, 100h);
    here.add_node("given-up", node_state::faulty, 100h);
    here.add_node("knocking", node_state::pooled, 100h);
    here.list_server("knocking");
    here.add_node("knocked-lately", node_state::pooled, 23h);
    here.add_node("staged", node_state::staged, 100h);
    here.add_node("zz-forgotten", node_state::pooled, 25h);

    here.following.spawn("follow", here.follower.run());
    here.driving.spawn("drive", here.leading.run());
    here.until([&] { return !here.has_node("zz-forgotten"); });

    // They come before it in the order it looks in.
    for (const auto* name : {"accepted", "given-up", "knocking", "knocked-lately", "staged"}) {
        CAPTURE(name);
        CHECK(here.has_node(name));
    }
}

TEST_CASE("a forgotten node that knocks again before it is removed stays") {
    room here;
    here.add_node("back-again", node_state::pooled, 25h);
    here.add_node("known-anew", node_state::pooled, 25h);
    here.add_node("zz-forgotten", node_state::pooled, 25h);
    here.see_no_more();

    here.list_server("back-again");
    here.add_node("known-anew", node_state::staged, 0h);
    here.driving.spawn("drive", here.leading.run());
    here.until([&] { return !here.has_node("zz-forgotten"); });

    CHECK(here.has_node("back-again"));
    CHECK(here.has_node("known-anew"));
}

// A zone whose first node has all slots, though a second one is there: half of them are to move.
void set_up_uneven_zone(room& here) {
    const cluster::zone_record zone{
        .name = "default", .description = {}, .parent = {}, .made = here.time.wall()};
    here.put(cluster::keys::zone("default"), encode(zone));
    for (const auto* name : {"full", "new"}) {
        here.add_node(name, node_state::serving, 1h);
        here.list_server(name);
    }
    std::vector<placement::move> moves;
    for (std::size_t number = 0; number < slot::count; ++number)
        moves.push_back({.what = slot(number), .from = node_number(), .to = node_number(1)});
    const auto table = placement::slot_table().after(moves).value();
    here.put(cluster::keys::slot_table("default"), table.encode());
    here.put(cluster::keys::epoch("default"), cluster::encode(table.current()));
}

std::size_t slots_of_the_new_node(const room& here) {
    const auto stored = answer_of(here.store->get(cluster::keys::slot_table("default"))).value();
    const auto owners = placement::slot_table::decode(stored.found->value).value().by_owner();
    const auto found = owners.find(node_number(2));
    return found == owners.end() ? 0 : found->second.size();
}

TEST_CASE("slots are spread between two nodes that serve") {
    room here;
    set_up_uneven_zone(here);
    here.see_no_more();
    here.driving.spawn("drive", here.leading.run());

    here.until([&] { return slots_of_the_new_node(here) > 0; });

    CHECK(slots_of_the_new_node(here) == 256);  // a step of moves_per_step
}

TEST_CASE("a plan is void when a node that was to give slots went away meanwhile: it keeps them") {
    room here;
    set_up_uneven_zone(here);
    here.see_no_more();

    here.last_number = 0;
    here.add_node("full", node_state::offline, 0h);
    here.driving.spawn("drive", here.leading.run());
    here.until([&] { return here.leading.counted().plans >= 3; });

    CHECK(slots_of_the_new_node(here) == 0);
}

}  // namespace
}  // namespace muster::driver
