#include "sim/workloads/placement_invariants.h"

#include "services/cluster/keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <vector>

namespace muster::sim {

namespace {

namespace keys = muster::cluster::keys;
using membership::node_state;
using placement::slot_table;

// A planner run may move this much more than what the change makes necessary.
constexpr double overhead_max = 1.2;

// Within this much of its share a node neither gives nor takes.
constexpr double near_its_share = 0.05;

// By then every driver that still leads has seen who belongs to the zone.
constexpr auto settled_after = std::chrono::seconds(10);

bool keeps_its_slots(const muster::cluster::node_record& node) {
    return node.state == node_state::suspect
           || (node.state == node_state::offline && !node.leaving);
}

bool takes_slots(const muster::cluster::node_record& node) {
    return node.state == node_state::serving && !node.leaving;
}

bool belongs(const muster::cluster::node_record& node) {
    return keeps_its_slots(node) || takes_slots(node);
}

std::vector<placement::move> moves_between(const slot_table& before, const slot_table& after) {
    std::vector<placement::move> moves;
    for (std::size_t number = 0; number < slot::count; ++number) {
        const slot which(number);
        if (before.at(which).owner != after.at(which).owner)
            moves.push_back({which, before.at(which).owner, after.at(which).owner});
    }
    return moves;
}

}  // namespace

void placement_invariants::check_change(const kv::change& change) {
    const auto* written = std::get_if<kv::written>(&change);
    const std::string& key = key_of(change);
    if (key.starts_with(keys::nodes)) {
        const auto name = key.substr(keys::nodes.size());
        if (written == nullptr) {
            nodes_.erase(name);
            members_changed_ = simulation_.now();
            return;
        }
        const auto node = muster::cluster::decode_node(written->entry.value);
        if (!node) return simulation_.violated("unreadable node record");
        check_node(name, *node);
    } else if (key.starts_with(keys::slots)) {
        if (written == nullptr) return simulation_.violated("slot table was deleted");
        const auto next = slot_table::decode(written->entry.value);
        if (!next) return simulation_.violated("unreadable slot table");
        see_table(*next);
    } else if (key.starts_with(keys::zone_freezes) && written != nullptr) {
        ++holds_;
        simulation_.probes.reached(probe::zone_held);
    }
}

void placement_invariants::start_from(const std::vector<kv::entry>& entries) {
    nodes_.clear();
    table_.reset();
    members_changed_ = simulation_.now();
    for (const auto& entry : entries) {
        if (entry.key.starts_with(keys::nodes)) {
            const auto node = muster::cluster::decode_node(entry.value);
            if (node) nodes_.insert_or_assign(node->name, *node);
        } else if (entry.key.starts_with(keys::slots)) {
            const auto table = slot_table::decode(entry.value);
            if (table) table_ = *table;
        }
    }
}

void placement_invariants::check_node(const std::string& name, const node_record& node) {
    const auto it = nodes_.find(name);
    if (it != nodes_.end()) {
        const node_record& before = it->second;
        if (before.state != node.state && !membership::can_transition(before.state, node.state))
            simulation_.violated(fmt::format(
                "{} changed from {} to {}",
                name,
                membership::to_string(before.state),
                membership::to_string(node.state)));
        if (before.number != node.number) simulation_.violated(name + " changed its number");
        if (node.state == node_state::faulty && before.state != node.state) {
            ++given_up_;
            simulation_.probes.reached(probe::node_given_up);
        }
        if (node.state == node_state::offline && before.state != node.state) ++stops_;
        if (node.state == node_state::faulty && half_is_missing())
            simulation_.violated(
                name + " was declared faulty while more than half of the zone is missing");
    }
    const bool belonged = it != nodes_.end() && belongs(it->second);
    const bool left = belonged && keeps_its_slots(node) && !keeps_its_slots(it->second);
    if (belonged != belongs(node)) members_changed_ = simulation_.now();
    nodes_.insert_or_assign(name, node);
    if (left && even_with_those_away()) simulation_.probes.reached(probe::stopped_in_even_zone);
}

bool placement_invariants::all_near(const std::map<node_number, double>& loads) const {
    double total = 0;
    for (const auto& [node, load] : loads) total += load;
    const double share = total / static_cast<double>(loads.size());
    return std::ranges::all_of(loads, [&](const auto& entry) {
        return entry.second <= share * (1 + near_its_share)
               && entry.second >= share * (1 - near_its_share);
    });
}

// Somebody is away, every slot has an owner who belongs to the zone, and all of them, also those
// that are away, are near their share.
bool placement_invariants::even_with_those_away() const {
    if (!table_ || simulation_.now() - members_changed_ < settled_after) return false;
    std::map<node_number, double> systems;
    std::map<node_number, double> empty_slots;
    bool anybody_away = false;
    for (const auto& [name, node] : nodes_) {
        if (!belongs(node)) continue;
        systems[node.number] = 0;
        empty_slots[node.number] = 0;
        anybody_away |= keeps_its_slots(node);
    }
    if (!anybody_away) return false;
    for (std::size_t number = 0; number < slot::count; ++number) {
        const auto owner = table_->at(slot(number)).owner;
        if (!systems.contains(owner)) return false;
        systems[owner] += static_cast<double>(weights_[number]);
        if (weights_[number] == 0) ++empty_slots[owner];
    }
    return all_near(systems) && all_near(empty_slots);
}

bool placement_invariants::half_is_missing() const {
    const auto with = [&](node_state state) {
        return std::ranges::count_if(
            nodes_, [&](const auto& entry) { return entry.second.state == state; });
    };
    const auto missing = with(node_state::suspect);
    return missing * 2 > missing + with(node_state::serving);
}

const muster::cluster::node_record* placement_invariants::find(node_number number) const {
    const auto it = std::ranges::find_if(
        nodes_, [&](const auto& entry) { return entry.second.number == number; });
    return it == nodes_.end() ? nullptr : &it->second;
}

void placement_invariants::see_table(const slot_table& next) {
    const slot_table before = table_.value_or(slot_table());
    if (next.current_epoch() != before.current_epoch().next())
        simulation_.violated("slot table does not follow the previous epoch");
    const auto moves = moves_between(before, next);
    if (!moves.empty() && half_is_missing())
        simulation_.violated("slots moved while more than half of the zone is missing");
    if (!moves.empty() && even_with_those_away())
        simulation_.violated("slots moved although only the absence of a node changed");
    for (const auto& move : moves) check_move(move);
    check_amount(moves);
    table_ = next;
    ++tables_;
    moves_ += static_cast<std::int64_t>(moves.size());
}

void placement_invariants::check_move(const placement::move& step) {
    const auto* from = find(step.from);
    const auto* to = find(step.to);
    if (from != nullptr && keeps_its_slots(*from))
        simulation_.violated(fmt::format(
            "slot {} was taken from {}, which is {}",
            step.moved_slot.number(),
            from->name,
            membership::to_string(from->state)));
    if (to == nullptr || !takes_slots(*to))
        simulation_.violated(fmt::format(
            "slot {} was assigned to {}, which does not serve",
            step.moved_slot.number(),
            to == nullptr ? "an unknown node" : to->name));
}

// What must move is what those that serve lack to their fair share.
void placement_invariants::check_amount(const std::vector<placement::move>& moves) {
    std::map<node_number, double> stored;
    for (const auto& [name, node] : nodes_)
        if (takes_slots(node)) stored[node.number] = 0;
    if (stored.empty()) return;
    double movable = 0;
    double heaviest = 0;
    for (std::size_t number = 0; number < slot::count; ++number) {
        const auto owner = table_ ? table_->at(slot(number)).owner : node_number();
        const auto* node = find(owner);
        if (node != nullptr && keeps_its_slots(*node)) continue;
        const auto weight = static_cast<double>(weights_[number]);
        movable += weight;
        heaviest = std::max(heaviest, weight);
        const auto serving = stored.find(owner);
        if (serving != stored.end()) serving->second += weight;
    }
    const double share = movable / static_cast<double>(stored.size());
    double lacking = 0;
    for (const auto& [node, load] : stored) lacking += std::max(0.0, share - load);
    double moved = 0;
    for (const auto& move : moves) moved += static_cast<double>(weights_[move.moved_slot.number()]);
    const double allowed = overhead_max * lacking + heaviest * static_cast<double>(stored.size());
    if (moved > allowed)
        simulation_.violated(fmt::format("plan moved {} systems, {} needed", moved, lacking));
}

double heaviest_over_mean(
    const slot_table& table, const placement::weights& weights, std::size_t nodes) {
    double heaviest = 0;
    for (const auto& [owner, slots] : table.by_owner()) {
        double load = 0;
        for (const slot slot : slots) load += static_cast<double>(weights[slot.number()]);
        heaviest = std::max(heaviest, load);
    }
    const auto total = std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
    return heaviest * static_cast<double>(nodes) / static_cast<double>(total);
}

}  // namespace muster::sim
