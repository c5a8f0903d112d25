#include "core/membership/failure_detector.h"

#include <algorithm>

namespace muster::membership {

void failure_detector::add_member(node_number node, node_state state, instant now) {
    members_[node] = {.state = state, .last_seen = now, .next_probe = now};
}

void failure_detector::remove_member(node_number node) {
    members_.erase(node);
}

void failure_detector::restore_state(node_number node, node_state state) {
    const auto it = members_.find(node);
    if (it != members_.end()) it->second.state = state;
}

effects failure_detector::on_shutdown(node_number node, instant now) {
    const auto it = members_.find(node);
    if (it == members_.end() || !can_transition(it->second.state, node_state::offline)) return {};
    it->second.state = node_state::offline;
    effects out{set_state{node, node_state::offline, "clean shutdown"}};
    update_freeze(now, out);
    return out;
}

effects failure_detector::on_lease_lost(node_number node, instant now) {
    const auto it = members_.find(node);
    if (it == members_.end() || it->second.state != node_state::serving) return {};
    it->second = {
        .state = node_state::suspect,
        .last_seen = now,
        .next_probe = now + options_.probe_interval};
    effects out{
        set_state{node, node_state::suspect, "lease expired without a shutdown notice"},
        ask_peers{node, peers_of(node)}};
    update_freeze(now, out);
    return out;
}

effects failure_detector::on_lease_held(node_number node, instant now) {
    const auto it = members_.find(node);
    if (it == members_.end()) return {};
    const node_state before = it->second.state;
    if (before == node_state::serving || !can_transition(before, node_state::serving)) return {};
    it->second = {.state = node_state::serving, .last_seen = now, .next_probe = now};
    effects out{set_state{node, node_state::serving, "lease held"}};
    update_freeze(now, out);
    return out;
}

effects failure_detector::on_probe_result(node_number suspect, bool reachable, instant now) {
    const auto it = members_.find(suspect);
    if (it == members_.end() || it->second.state != node_state::suspect) return {};
    if (reachable) it->second.last_seen = now;
    return {};
}

effects failure_detector::expire(instant now) {
    effects out;
    for (auto& [node, member] : members_) {
        if (member.state != node_state::suspect) continue;
        if (!frozen_ && now - member.last_seen >= options_.disaster_timeout) {
            member.state = node_state::faulty;
            out.emplace_back(set_state{
                node, node_state::faulty, "unreachable for longer than the disaster timeout"});
        } else if (now >= member.next_probe) {
            member.next_probe = now + options_.probe_interval;
            out.emplace_back(ask_peers{node, peers_of(node)});
        }
    }
    update_freeze(now, out);
    return out;
}

std::optional<instant> failure_detector::next_deadline() const {
    std::optional<instant> earliest;
    for (const auto& [node, member] : members_) {
        if (member.state != node_state::suspect) continue;
        const instant due =
            frozen_ ? member.next_probe
                    : std::min(member.next_probe, member.last_seen + options_.disaster_timeout);
        earliest = earliest ? std::min(*earliest, due) : due;
    }
    return earliest;
}

std::optional<node_state> failure_detector::state_of(node_number node) const {
    const auto it = members_.find(node);
    if (it == members_.end()) return std::nullopt;
    return it->second.state;
}

std::size_t failure_detector::missing() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        members_, [](const auto& entry) { return entry.second.state == node_state::suspect; }));
}

// Members that should be online: neither offline nor faulty.
std::size_t failure_detector::expected() const {
    const auto serving = std::ranges::count_if(
        members_, [](const auto& entry) { return entry.second.state == node_state::serving; });
    return static_cast<std::size_t>(serving) + missing();
}

void failure_detector::update_freeze(instant now, effects& out) {
    const bool too_many = missing() * 2 > expected();
    if (too_many == frozen_) return;
    frozen_ = too_many;
    if (too_many) {
        out.emplace_back(freeze_zone{missing(), expected()});
        return;
    }
    for (auto& [node, member] : members_) {
        if (member.state == node_state::suspect) member.last_seen = now;
    }
    out.emplace_back(unfreeze_zone{});
}

std::vector<node_number> failure_detector::peers_of(node_number suspect) const {
    std::vector<node_number> peers;
    auto add_serving = [&](auto from, auto to) {
        for (; from != to && peers.size() < options_.probing_peers; ++from) {
            if (from->second.state == node_state::serving) peers.push_back(from->first);
        }
    };
    // Starts after the suspect and wraps, so that different peers probe different suspects.
    const auto middle = members_.upper_bound(suspect);
    add_serving(middle, members_.end());
    add_serving(members_.begin(), middle);
    return peers;
}

}  // namespace muster::membership
