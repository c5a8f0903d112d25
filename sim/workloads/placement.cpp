#include "sim/workloads/placement.h"

#include "services/cluster/keys.h"
#include "sim/engines/metastore.h"
#include "sim/workloads/zone_admin.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace muster::sim {

using namespace std::chrono_literals;

namespace {

namespace keys = muster::cluster::keys;
using membership::node_state;

constexpr auto look_interval = 100ms;
constexpr auto quiet_time_max = 8min;
constexpr double heaviest_over_mean_max = 1.1;
constexpr const char* zone = "default";

async<bool> reached(
    sim::cluster& cluster, process& driver, std::string address, bool always_cut_off) {
    CO_CHECK_OK(co_await driver.clock().sleep_for(50ms));
    const auto name = address.substr(0, address.find(':'));
    co_return !always_cut_off && cluster.at(name).running();
}

}  // namespace

void placement_zone::start(sim::cluster& cluster) {
    cluster_ = &cluster;
    prng& random = cluster.simulation.random("systems of the zone");
    for (std::int64_t i = 0; i < options_.systems; ++i) ++weights_[random.below(slot::count)];
    peers_reach_the_cut_off_ = random.chance(500) && options_.zombies == 0;
    invariants_.emplace(cluster.simulation, weights_);
    // Not listed among the clients: they must not miss anything.
    process& observer =
        cluster.add({.name = "observer", .clock = {}, .disk = {}}, [this, &cluster](process& self) {
            self.spawn("observe", observe(self, open_metastore(cluster, self, "metastore")));
        });
    observer.start();
    process& admin =
        cluster.add({.name = "admin", .clock = {}, .disk = {}}, [this, &cluster](process& self) {
            const auto person = self.own<zone_admin>(
                self,
                open_metastore(cluster, self, "metastore"),
                zone_admin::options{
                    .zone = zone,
                    .disaster_timeout = options_.disaster_timeout,
                    .drains_per_mille = static_cast<std::uint32_t>(options_.drains_per_mille),
                    .winding_down = [this] {
                        return winding_down();
                    }});
            self.spawn("administer", person->run());
        });
    admin.start();
    for (std::int64_t number = 1; number <= options_.servers; ++number) add_server(number);
    operate_later();
    look_later();
}

void placement_zone::add_server(std::int64_t number) {
    add_client(*cluster_, fmt::format("node{}", number), [this, number](process& self) {
        const auto serving = self.own<placement_server>(*cluster_, self, server_options(number));
        servers_[self.name()] = serving;
        serving->start();
    });
}

placement_server::options placement_zone::server_options(std::int64_t number) {
    const bool cut_off = !peers_reach_the_cut_off_;
    return {
        .ttl = options_.ttl,
        .ignores_its_lease = number <= options_.zombies,
        .miscounts_when_others_go = number <= options_.miscounters,
        .moves_per_step = static_cast<std::size_t>(options_.moves_per_step),
        .weights = &weights_,
        .probe =
            [cut_off](sim::cluster& cluster, process& driver, std::string address) {
                return reached(cluster, driver, std::move(address), cut_off);
            },
        .log = &log_,
        .claims_changed =
            [this] {
                look_after_change();
            }};
}

// Where the history was compacted away it goes on from what is there: what it missed is not judged.
boost::asio::awaitable<void> placement_zone::observe(
    process& self, std::shared_ptr<metastore> metastore) {
    auto watch = metastore->watch(std::string(keys::topology), kv::revision(1));
    while (true) {
        const auto event = co_await watch->next();
        if (!event) {
            self.simulation().violated("topology observer lost its watch");
            co_return;
        }
        if (const auto* batch = std::get_if<kv::change_batch>(&*event)) {
            for (const auto& change : batch->changes) invariants_->check_change(change);
            continue;
        }
        auto page = co_await metastore->range({.prefix = std::string(keys::topology)});
        while (!page) page = co_await metastore->range({.prefix = std::string(keys::topology)});
        invariants_->start_from(page->entries);
        watch = metastore->watch(std::string(keys::topology), page->at.next());
    }
}

void placement_zone::operate_later() {
    prng& random = cluster_->simulation.random("operating");
    const auto pause = std::chrono::milliseconds(10'000 + random.below(40'000));
    cluster_->simulation.after(cluster_->simulation.kernel(), pause, [this] {
        if (winding_down()) return;
        stop_one();
        operate_later();
    });
}

void placement_zone::stop_one() {
    prng& random = cluster_->simulation.random("operating");
    const auto& name = clients()[random.below(clients().size())];
    const auto pause = std::chrono::milliseconds(random.below(30'000));
    process& host = cluster_->at(name);
    if (!host.running() || !stopping_.insert(name).second) return;
    // Whether it came to an end or was killed meanwhile, it is started again.
    host.spawn("stop", at(name)->stop());
    cluster_->simulation.after(
        cluster_->simulation.kernel(), 5s + pause, [this, &host, pause] { stopped(host, pause); });
}

void placement_zone::stopped(process& host, monotonic::duration pause) {
    if (host.running()) host.crash();
    cluster_->simulation.after(cluster_->simulation.kernel(), pause, [this, &host] {
        stopping_.erase(host.name());
        if (!host.running()) host.start();
    });
}

std::shared_ptr<placement_server> placement_zone::at(const std::string& name) const {
    const auto it = servers_.find(name);
    return it == servers_.end() ? nullptr : it->second.lock();
}

void placement_zone::look_later() {
    cluster_->simulation.after(cluster_->simulation.kernel(), look_interval, [this] {
        look_at_who_acts();
        look_later();
    });
}

// At once, and when slots that it gained are no longer waited for.
void placement_zone::look_after_change() {
    auto& simulation = cluster_->simulation;
    simulation.post(simulation.kernel(), [this] { look_at_who_acts(); });
    simulation.after(simulation.kernel(), options_.ttl, [this] { look_at_who_acts(); });
}

// Two that go by the same table cannot both own a slot, so only different ones are compared.
void placement_zone::look_at_who_acts() {
    ++looks_;
    std::map<placement::epoch, std::vector<std::string>> acting;
    for (const auto& name : clients()) {
        process& host = cluster_->at(name);
        if (!host.running() || host.current_life().paused_until > cluster_->simulation.now())
            continue;
        const auto server = at(name);
        if (server && server->may_act()) acting[server->table_epoch()].push_back(name);
    }
    if (acting.size() > 1) ++looks_at_two_tables_;
    for (auto older = acting.begin(); older != acting.end(); ++older) {
        for (auto newer = std::next(older); newer != acting.end(); ++newer) {
            for (const auto& one : older->second)
                for (const auto& other : newer->second) check_pair(one, other);
        }
    }
}

void placement_zone::check_pair(const std::string& name, const std::string& other) {
    const auto left = at(name);
    const auto right = at(other);
    for (std::size_t number = 0; number < slot::count; ++number) {
        const slot checked_slot(number);
        if (!left->acts_for(checked_slot) || !right->acts_for(checked_slot)) continue;
        cluster_->simulation.violated(
            fmt::format("{} and {} both own slot {}", name, other, number));
        return;
    }
}

// Empty when all is as it must be once nothing happens any more.
async<std::string> placement_zone::what_is_missing(std::shared_ptr<metastore> metastore) {
    CO_TRY(const auto nodes, co_await read_nodes(metastore));
    CO_TRY(const auto stored, co_await metastore->get(keys::slot_table(zone)));
    if (!stored.found) co_return "slot table not found";
    CO_TRY(const auto table, placement::slot_table::decode(stored.found->value));
    std::map<node_number, std::string> names;
    for (const auto& name : clients()) {
        const auto node = nodes.find(name);
        if (node == nodes.end()) co_return name + " has no record";
        if (node->second.state != node_state::serving || node->second.leaving)
            co_return fmt::format("{} is {}", name, membership::to_string(node->second.state));
        names.emplace(node->second.number, name);
    }
    for (std::size_t number = 0; number < slot::count; ++number) {
        const auto owner = names.find(table.at(slot(number)).owner);
        if (owner == names.end()) co_return fmt::format("slot {} has no owner", number);
        const auto server = at(owner->second);
        if (!server || !server->acts_for(slot(number)))
            co_return fmt::format("{} does not serve slot {}", owner->second, number);
    }
    const double uneven = heaviest_over_mean(table, weights_, clients().size());
    if (uneven > heaviest_over_mean_max)
        co_return fmt::format("heaviest node has {:.2f} times the mean load", uneven);
    co_return std::string();
}

boost::asio::awaitable<void> placement_zone::check_at_end(process& checker) {
    const auto store = open_metastore(*cluster_, checker, "metastore");
    const instant end = checker.clock().now() + quiet_time_max;
    std::string missing = "no check was completed";
    while (!missing.empty() && checker.clock().now() < end) {
        ignore_error(co_await checker.clock().sleep_for(2s), "never cancelled");
        const auto match = co_await what_is_missing(store);
        missing = match ? *match : to_string(match.error());
    }
    if (!missing.empty()) checker.simulation().violated("not settled: " + missing);
    if (invariants_->tables_seen() == 0) checker.simulation().violated("no slot table was created");
}

std::string placement_zone::summary() const {
    return fmt::format(
        "{} tables, {} moves, {} nodes declared faulty, {} planned stops, {} freezes, {} checks "
        "({} at "
        "differing tables)",
        invariants_->tables_seen(),
        invariants_->moves_seen(),
        invariants_->given_up(),
        invariants_->stops_seen(),
        invariants_->holds_seen(),
        looks_,
        looks_at_two_tables_);
}

}  // namespace muster::sim
