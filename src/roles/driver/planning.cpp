// The part of the driver that plans: which slots move, and the one transaction that says so.

#include "roles/driver/driver.h"
#include "services/cluster/keys.h"

#include <algorithm>
#include <ranges>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace muster::driver {
namespace {

namespace keys = cluster::keys;
using membership::node_state;
using placement::member;

// Nodes whose records must be as they were planned with: a transaction takes that many conditions,
// and three are needed for other things.
constexpr std::size_t checked_nodes_max = kv::limits::conditions_max - 3;

struct checked_moves {
    std::vector<placement::move> moves;
    std::set<std::string> nodes;
};

// As many moves as one transaction can check all nodes of: who takes slots, and who gives some only
// to even out, since it keeps them if it goes away meanwhile. Nobody is given a slot unchecked; the
// rest is left to the next plan.
checked_moves checkable(
    const std::vector<placement::move>& moves, const cluster::topology& topology) {
    checked_moves reserved;
    for (const auto& move : moves) {
        std::set<std::string> involved{topology.node_names.at(move.to)};
        if (const auto* from = topology.find_node(move.from)) involved.insert(from->name);
        std::erase_if(involved, [&](const auto& name) { return reserved.nodes.contains(name); });
        if (reserved.nodes.size() + involved.size() > checked_nodes_max) continue;
        reserved.nodes.merge(involved);
        reserved.moves.push_back(move);
    }
    return reserved;
}

class digest {
public:
    void add(std::uint64_t number) {
        value_ = (value_ ^ number) * 0x9e3779b97f4a7c15;
        value_ ^= value_ >> 29U;
    }
    std::uint64_t value() const { return value_; }

private:
    std::uint64_t value_ = 1;
};

std::uint64_t digest_of(const std::vector<member>& members) {
    digest all;
    for (const member& each : members) {
        all.add(static_cast<std::uint64_t>(each.node.value()));
        all.add(static_cast<std::uint64_t>(each.stands));
        all.add(each.capacity);
        all.add(each.load_max);
    }
    return all.value();
}

// Of all that a plan is made from: the same signature would give the same plan.
std::uint64_t signature_of(
    placement::epoch table, std::uint64_t members, const placement::weights& cost) {
    digest all;
    all.add(static_cast<std::uint64_t>(table.value()));
    all.add(members);
    for (const std::uint64_t each : cost) all.add(each);
    return all.value();
}

placement::slot_table table_of(const cluster::topology& topology, const std::string& zone) {
    const auto it = topology.slots.find(zone);
    if (it != topology.slots.end()) return *it->second;
    const auto last = topology.epochs.find(zone);
    return last == topology.epochs.end() ? placement::slot_table()
                                         : placement::slot_table(last->second);
}

}  // namespace

// Zones whose members changed come first, then those that waited longest: so thousands of zones all
// get their turn, and a lost node does not wait for it.
async<void> driver::plan_zones() {
    const auto topology = deps_.topology.read();
    index(topology);
    const instant now = deps_.clock.now();
    const auto capacities = loads_.capacities();
    std::erase_if(plans_, [&](const auto& each) { return !topology->zones.contains(each.first); });
    std::vector<std::tuple<bool, instant, std::string>> due;
    for (const auto& zone : topology->zones | std::views::keys) {
        const planned& last = plans_[zone];
        if (last.at != instant::min() && now - last.at < options_.plan_interval) continue;
        const bool same = last.members == digest_of(members_of(nodes_of(zone), capacities));
        due.emplace_back(same, last.at, zone);
    }
    std::ranges::sort(due);
    if (due.size() > options_.zones_per_tick) due.resize(options_.zones_per_tick);
    for (const auto& zone : due | std::views::elements<2>) {
        CO_CHECK_OK(co_await plan_zone(zone));
        if (!election_.leads()) co_return result<void>();
    }
    std::uint64_t unplaced = 0;
    for (const auto& value : plans_ | std::views::values) unplaced += value.unplaced;
    counted_.unplaced = unplaced;
    co_return result<void>();
}

async<void> driver::plan_zone(std::string zone) {
    index(deps_.topology.read());
    const auto& existing = *indexed_;
    planned& last = plans_[zone];
    last.at = deps_.clock.now();
    const zone_failure_monitor& watch = watch_of(zone);
    if (watch.holding() || !watch.up_to_date(existing)) co_return result<void>();
    const bool understood = existing.understood(zone);
    if (std::exchange(last.understood, understood) && !understood)
        deps_.log.error(
            "nothing moves in a zone, for a record of its topology cannot be read; upgrade this "
            "server if others run a newer version",
            {{"zone", zone}});
    if (!understood) co_return result<void>();
    const auto members = members_of(nodes_of(zone), loads_.capacities());
    last.members = digest_of(members);
    const bool anyone = std::ranges::any_of(members, [](const member& member) {
        return member.stands == placement::member_state::serving;
    });
    if (!anyone) co_return result<void>();
    const auto table = table_of(existing, zone);
    const auto cost = inputs_.weights(zone);
    const auto signature = signature_of(table.current(), last.members, cost);
    if (std::exchange(last.signature, signature) == signature) co_return result<void>();
    auto plan = placement::make_plan(
        table, members, cost, {.rebalance_moves_max = options_.moves_per_step});
    ++counted_.plans;
    last.unplaced = plan.unplaced.size();
    if (!plan.unplaced.empty())
        deps_.log.error(
            "slots without a node: all nodes of the zone are at their limit",
            {{"zone", zone}, {"slots", plan.unplaced.size()}});
    if (plan.moves.empty()) co_return result<void>();
    co_return co_await save_plan(std::move(zone), std::move(plan));
}

async<void> driver::save_plan(std::string zone, placement::plan plan) {
    const auto existing = indexed_;  // what the plan was made from
    const auto part = checkable(plan.moves, *existing);
    CO_TRY(const auto next, table_of(*existing, zone).after(part.moves));
    const auto key = keys::slot_table(zone);
    const auto written = existing->slot_revisions.find(zone);
    kv::transaction change;
    change.when.emplace_back(election_.claim());
    change.when.emplace_back(kv::present{keys::zone(zone)});
    if (written == existing->slot_revisions.end()) {
        change.when.emplace_back(kv::absent{key});
    } else {
        change.when.emplace_back(kv::unchanged{key, written->second});
    }
    for (const auto& name : part.nodes)
        change.when.emplace_back(
            kv::unchanged{keys::node(name), existing->node_revisions.at(name)});
    auto bytes = next.encode();
    counted_.table_bytes_max = std::max<std::uint64_t>(counted_.table_bytes_max, bytes.size());
    change.then.emplace_back(kv::put{.key = key, .value = std::move(bytes)});
    change.then.emplace_back(
        kv::put{.key = keys::epoch(zone), .value = cluster::encode(next.current())});
    const auto verdict = co_await deps_.metastore.commit(std::move(change));
    if (!verdict || !verdict->committed) plans_[zone].signature = 0;  // plan again
    if (!verdict) co_return fail(verdict.error());
    if (!verdict->committed) co_return result<void>();
    if (part.moves.size() < plan.moves.size()) plans_[zone].at = instant::min();  // go on at once
    counted_.moves += part.moves.size();
    deps_.log.info(
        "slots move",
        {{"zone", zone}, {"slots", part.moves.size()}, {"epoch", next.current().value()}});
    co_return result<void>();
}

// A node that knocked and went away again leaves no record behind.
async<void> driver::remove_forgotten() {
    const auto topology = deps_.topology.read();
    const wall_time now = deps_.clock.wall();
    for (const auto& [name, node] : topology->nodes) {
        const bool forgotten = node.state == node_state::pooled && !is_there(*topology, node)
                               && now - node.since > options_.pooled_lifetime;
        if (!forgotten) continue;
        const auto key = keys::node(name);
        kv::transaction change;
        change.when.emplace_back(election_.claim());
        change.when.emplace_back(kv::unchanged{key, topology->node_revisions.at(name)});
        change.when.emplace_back(kv::absent{keys::server(name)});
        change.then.emplace_back(kv::erase{key});
        CO_CHECK_OK(co_await deps_.metastore.commit(std::move(change)));
    }
    co_return result<void>();
}

void driver::export_to(runtime::metrics& where) const {
    where.watch_gauge({"muster_driver_active", "Whether this server's driver leads."}, [this] {
        return counted_.active ? 1.0 : 0.0;
    });
    where.watch_counter({"muster_driver_plans_total", "Plans made."}, [this] {
        return static_cast<double>(counted_.plans);
    });
    where.watch_counter({"muster_driver_slot_moves_total", "Slots moved."}, [this] {
        return static_cast<double>(counted_.moves);
    });
    where.watch_gauge({"muster_driver_unplaced_slots", "Slots that no node may take."}, [this] {
        return static_cast<double>(counted_.unplaced);
    });
    where.watch_counter(
        {"muster_driver_probes_dropped_total", "Probes not asked for: too many wait."},
        [this] { return static_cast<double>(counted_.probes_dropped); });
}

}  // namespace muster::driver
