#include "core/membership/failure_detector.h"

#include <algorithm>

namespace muster::membership {

void failure_detector::enter(node_number node, node_state state, instant now) {
    members_[node] = {.state = state, .seen = now, .next_probe = now};
}

void failure_detector::leave(node_number node) {
    members_.erase(node);
}

void failure_detector::take_back(node_number node, node_state state) {
    const auto it = members_.find(node);
    if (it != members_.end()) it->second.state = state;
}

effects failure_detector::goes_down(node_number node, instant now) {
    const auto it = members_.find(node);
    if (it == members_.end() || !may_become(it->second.state, node_state::offline)) return {};
    it->second.state = node_state::offline;
    effects out{set_state{node, node_state::offline, "it said that it goes down"}};
    update_hold(now, out);
    return out;
}

effects failure_detector::lease_lost(node_number node, instant now) {
    const auto it = members_.find(node);
    if (it == members_.end() || it->second.state != node_state::serving) return {};
    it->second = {
        .state = node_state::suspect, .seen = now, .next_probe = now + options_.probe_interval};
    effects out{
        set_state{node, node_state::suspect, "its lease ended without a word"},
        ask_peers{node, peers_of(node)}};
    update_hold(now, out);
    return out;
}

effects failure_detector::lease_held(node_number node, instant now) {
    const auto it = members_.find(node);
    if (it == members_.end()) return {};
    const node_state before = it->second.state;
    if (before == node_state::serving || !may_become(before, node_state::serving)) return {};
    it->second = {.state = node_state::serving, .seen = now, .next_probe = now};
    effects out{set_state{node, node_state::serving, "it holds its lease"}};
    update_hold(now, out);
    return out;
}

effects failure_detector::probed(node_number suspect, bool reachable, instant now) {
    const auto it = members_.find(suspect);
    if (it == members_.end() || it->second.state != node_state::suspect) return {};
    if (reachable) it->second.seen = now;
    return {};
}

effects failure_detector::expire(instant now) {
    effects out;
    for (auto& [node, state] : members_) {
        if (state.state != node_state::suspect) continue;
        if (!holding_ && now - state.seen >= options_.disaster_timeout) {
            state.state = node_state::faulty;
            out.emplace_back(
                set_state{node, node_state::faulty, "unreachable for the disaster timeout"});
        } else if (now >= state.next_probe) {
            state.next_probe = now + options_.probe_interval;
            out.emplace_back(ask_peers{node, peers_of(node)});
        }
    }
    update_hold(now, out);
    return out;
}

std::optional<instant> failure_detector::next_deadline() const {
    std::optional<instant> earliest;
    for (const auto& [node, state] : members_) {
        if (state.state != node_state::suspect) continue;
        const instant due =
            holding_ ? state.next_probe
                     : std::min(state.next_probe, state.seen + options_.disaster_timeout);
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
        members_, [](const auto& each) { return each.second.state == node_state::suspect; }));
}

// Those that should be there: offline ones said that they go, faulty ones are given up.
std::size_t failure_detector::expected() const {
    const auto serving = std::ranges::count_if(
        members_, [](const auto& each) { return each.second.state == node_state::serving; });
    return static_cast<std::size_t>(serving) + missing();
}

void failure_detector::update_hold(instant now, effects& out) {
    const bool too_many = missing() * 2 > expected();
    if (too_many == holding_) return;
    holding_ = too_many;
    if (too_many) {
        out.emplace_back(raise_hold{missing(), expected()});
        return;
    }
    for (auto& [node, state] : members_) {
        if (state.state == node_state::suspect) state.seen = now;
    }
    out.emplace_back(lift_hold{});
}

std::vector<node_number> failure_detector::peers_of(node_number suspect) const {
    std::vector<node_number> peers;
    auto take = [&](auto from, auto to) {
        for (; from != to && peers.size() < options_.probing_peers; ++from) {
            if (from->second.state == node_state::serving) peers.push_back(from->first);
        }
    };
    // Start behind the suspect and go round, so that suspects are not all probed by the same few.
    const auto middle = members_.upper_bound(suspect);
    take(middle, members_.end());
    take(members_.begin(), middle);
    return peers;
}

}  // namespace muster::membership
