// Planning of the driver: selects slot moves and writes them in one transaction.

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

// Node records that a transaction can check; three of its conditions are needed for other checks.
constexpr std::size_t checked_nodes_max = kv::limits::conditions_max - 3;

struct checked_moves {
    std::vector<placement::move> moves;
    std::set<std::string> nodes;
};

// Selects as many moves as one transaction can check the nodes of. It checks the receiving node,
// and the giving node if it still exists: a node that leaves meanwhile keeps its slots. The next
// plan does the rest.
checked_moves select_checkable(
    const std::vector<placement::move>& moves, const cluster::topology& topology) {
    checked_moves selection;
    for (const auto& move : moves) {
        std::set<std::string> nodes_to_check{topology.node_names.at(move.to)};
        if (const auto* source = topology.find_node(move.from)) nodes_to_check.insert(source->name);
        std::erase_if(
            nodes_to_check, [&](const auto& name) { return selection.nodes.contains(name); });
        if (selection.nodes.size() + nodes_to_check.size() > checked_nodes_max) continue;
        selection.nodes.merge(nodes_to_check);
        selection.moves.push_back(move);
    }
    return selection;
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
    digest digest_of_members;
    for (const member& member : members) {
        digest_of_members.add(static_cast<std::uint64_t>(member.node.value()));
        digest_of_members.add(static_cast<std::uint64_t>(member.state));
        digest_of_members.add(member.capacity);
        digest_of_members.add(member.load_max);
    }
    return digest_of_members.value();
}

// Digest of all inputs of a plan: equal signatures give equal plans.
std::uint64_t signature_of(
    placement::epoch table, std::uint64_t members, const placement::weights& costs) {
    digest digest_of_inputs;
    digest_of_inputs.add(static_cast<std::uint64_t>(table.value()));
    digest_of_inputs.add(members);
    for (const std::uint64_t slot_cost : costs) digest_of_inputs.add(slot_cost);
    return digest_of_inputs.value();
}

placement::slot_table table_of(const cluster::topology& topology, const std::string& zone) {
    const auto it = topology.slots.find(zone);
    if (it != topology.slots.end()) return *it->second;
    const auto last = topology.epochs.find(zone);
    return last == topology.epochs.end() ? placement::slot_table()
                                         : placement::slot_table(last->second);
}

}  // namespace

// Plans zones with changed members first, then those that waited longest. So every zone gets a turn
// even with thousands of zones, and a lost node is handled at once.
async<void> driver::plan_zones() {
    const auto topology = deps_.topology.read();
    refresh_zone_index(topology);
    const instant now = deps_.clock.now();
    const auto capacities = loads_.capacities();
    std::erase_if(
        plans_, [&](const auto& entry) { return !topology->zones.contains(entry.first); });
    std::vector<std::tuple<bool, instant, std::string>> due;
    for (const auto& zone : topology->zones | std::views::keys) {
        const zone_plan& last = plans_[zone];
        if (last.planned_at != instant::min() && now - last.planned_at < options_.plan_interval)
            continue;
        const bool members_unchanged =
            last.members == digest_of(members_of(nodes_of(zone), capacities));
        due.emplace_back(members_unchanged, last.planned_at, zone);
    }
    std::ranges::sort(due);
    if (due.size() > options_.zones_per_tick) due.resize(options_.zones_per_tick);
    for (const auto& zone : due | std::views::elements<2>) {
        CO_CHECK_OK(co_await plan_zone(zone));
        if (!election_.is_leader()) co_return result<void>();
    }
    std::uint64_t unplaced = 0;
    for (const auto& plan : plans_ | std::views::values) unplaced += plan.unplaced;
    counts_.unplaced = unplaced;
    co_return result<void>();
}

async<void> driver::plan_zone(std::string zone) {
    refresh_zone_index(deps_.topology.read());
    const auto& topology = *indexed_;
    zone_plan& last = plans_[zone];
    last.planned_at = deps_.clock.now();
    const zone_failure_monitor& monitor = monitor_of(zone);
    if (monitor.is_holding() || !monitor.is_up_to_date(topology)) co_return result<void>();
    const bool readable = topology.is_readable(zone);
    if (std::exchange(last.topology_readable, readable) && !readable)
        deps_.log.error(
            "zone planning suspended: unreadable topology record",
            {{"zone", zone}, {"hint", "upgrade this server if others run a newer version"}});
    if (!readable) co_return result<void>();
    const auto members = members_of(nodes_of(zone), loads_.capacities());
    last.members = digest_of(members);
    const bool any_serving = std::ranges::any_of(members, [](const member& member) {
        return member.state == placement::member_state::serving;
    });
    if (!any_serving) co_return result<void>();
    const auto table = table_of(topology, zone);
    const auto costs = inputs_.weights(zone);
    const auto signature = signature_of(table.current_epoch(), last.members, costs);
    if (std::exchange(last.signature, signature) == signature) co_return result<void>();
    auto plan = placement::build_plan(
        table, members, costs, {.rebalance_moves_max = options_.moves_per_step});
    ++counts_.plans;
    last.unplaced = plan.unplaced.size();
    if (!plan.unplaced.empty())
        deps_.log.error(
            "slots not assigned: all nodes of the zone are at their limit",
            {{"zone", zone}, {"slots", plan.unplaced.size()}, {"hint", "add nodes to the zone"}});
    if (plan.moves.empty()) co_return result<void>();
    co_return co_await save_plan(std::move(zone), std::move(plan));
}

async<void> driver::save_plan(std::string zone, placement::plan plan) {
    const auto topology = indexed_;  // the plan's input
    const auto selection = select_checkable(plan.moves, *topology);
    CO_TRY(const auto updated_table, table_of(*topology, zone).apply_moves(selection.moves));
    const auto key = keys::slot_table(zone);
    const auto revision = topology->slot_revisions.find(zone);
    kv::transaction transaction;
    transaction.when.emplace_back(election_.leadership_condition());
    transaction.when.emplace_back(kv::present{keys::zone(zone)});
    if (revision == topology->slot_revisions.end()) {
        transaction.when.emplace_back(kv::absent{key});
    } else {
        transaction.when.emplace_back(kv::unchanged{key, revision->second});
    }
    for (const auto& name : selection.nodes)
        transaction.when.emplace_back(
            kv::unchanged{keys::node(name), topology->node_revisions.at(name)});
    auto bytes = updated_table.encode();
    counts_.table_bytes_max = std::max<std::uint64_t>(counts_.table_bytes_max, bytes.size());
    transaction.then.emplace_back(kv::put{.key = key, .value = std::move(bytes)});
    transaction.then.emplace_back(
        kv::put{.key = keys::epoch(zone), .value = cluster::encode(updated_table.current_epoch())});
    const auto outcome = co_await deps_.metastore.commit(std::move(transaction));
    if (!outcome || !outcome->committed) plans_[zone].signature = 0;  // plan again
    if (!outcome) co_return fail(outcome.error());
    if (!outcome->committed) co_return result<void>();
    if (selection.moves.size() < plan.moves.size())
        plans_[zone].planned_at = instant::min();  // continue at once
    counts_.moves += selection.moves.size();
    deps_.log.info(
        "slots moved",
        {{"zone", zone},
         {"slots", selection.moves.size()},
         {"epoch", updated_table.current_epoch().value()}});
    co_return result<void>();
}

// Deletes records of nodes that asked to join and went away before they were accepted.
async<void> driver::remove_absent_pooled_nodes() {
    const auto topology = deps_.topology.read();
    const wall_time now = deps_.clock.wall();
    for (const auto& [name, node] : topology->nodes) {
        const bool expired = node.state == node_state::pooled && !is_online(*topology, node)
                             && now - node.since > options_.pooled_lifetime;
        if (!expired) continue;
        const auto key = keys::node(name);
        kv::transaction transaction;
        transaction.when.emplace_back(election_.leadership_condition());
        transaction.when.emplace_back(kv::unchanged{key, topology->node_revisions.at(name)});
        transaction.when.emplace_back(kv::absent{keys::server(name)});
        transaction.then.emplace_back(kv::erase{key});
        CO_CHECK_OK(co_await deps_.metastore.commit(std::move(transaction)));
    }
    co_return result<void>();
}

void driver::export_to(runtime::metrics& metrics) const {
    metrics.watch_gauge(
        {"muster_driver_active",
         "Activity of the driver of this server: 1 if active, 0 otherwise."},
        [this] { return counts_.active ? 1.0 : 0.0; });
    metrics.watch_counter(
        {"muster_driver_plans_total", "Total number of slot plans since start."},
        [this] { return static_cast<double>(counts_.plans); });
    metrics.watch_counter(
        {"muster_driver_slot_moves_total", "Total number of slots moved since start."},
        [this] { return static_cast<double>(counts_.moves); });
    metrics.watch_gauge(
        {"muster_driver_unplaced_slots", "Number of slots that no node can take."},
        [this] { return static_cast<double>(counts_.unplaced); });
    metrics.watch_counter(
        {"muster_driver_probes_dropped_total",
         "Total number of probes dropped since start because the queue was full."},
        [this] { return static_cast<double>(counts_.probes_dropped); });
}

}  // namespace muster::driver
