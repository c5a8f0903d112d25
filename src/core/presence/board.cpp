#include "core/presence/board.h"

#include "base/assert.h"

#include <algorithm>

namespace muster::presence {
namespace {

bool within_bounds(system_number which) {
    return which.value() > 0 && which.value() <= board::number_max;
}

bool makes_sense(const report& told) {
    if (told.node.value() <= 0 || told.node.value() > UINT32_MAX) return false;
    const bool numbers =
        std::ranges::all_of(
            told.arrivals, [](const arrival& each) { return within_bounds(each.system); })
        && std::ranges::all_of(
            told.departures, [](const departure& each) { return within_bounds(each.system); });
    return numbers && std::ranges::is_sorted(told.arrivals, {}, &arrival::system);
}

}  // namespace

const board::entry* board::find(system_number which) const {
    if (!within_bounds(which)) return nullptr;
    const auto index = static_cast<std::size_t>(which.value());
    if (index / page_size >= pages_.size()) return nullptr;
    const auto& held = pages_[index / page_size];
    if (!held) return nullptr;
    const entry& found = (*held)[index % page_size];
    return found.node == 0 ? nullptr : &found;
}

board::entry& board::at(system_number which) {
    MUSTER_ASSERT(within_bounds(which));
    const auto index = static_cast<std::size_t>(which.value());
    if (index / page_size >= pages_.size()) pages_.resize(index / page_size + 1);
    auto& held = pages_[index / page_size];
    if (!held) held = std::make_unique<page>();
    return (*held)[index % page_size];
}

bool board::apply(const report& told, instant now) {
    if (!makes_sense(told)) return false;
    node_sum& sum = nodes_[told.node];
    const bool old =
        told.start < sum.start || (told.start == sum.start && told.sequence <= sum.sequence);
    if (old) return false;
    // The channels of the process before this one are gone, whatever it still said of them.
    if (told.start > sum.start && sum.start != 0) node_lost(told.node, told.at);
    sum.heard = told.start > sum.start ? told.at : std::max(sum.heard, told.at);
    sum.received = now;
    sum.zone = told.zone;
    sum.start = told.start;
    sum.sequence = told.sequence;
    if (told.whole) drop_unlisted(told.node, sum, told);
    for (const auto& left : told.departures) {
        entry& who = at(left.system);
        if (who.node == static_cast<std::uint32_t>(told.node.value()) && who.attached)
            depart(sum, who, left.why, left.at);
    }
    for (const auto& came : told.arrivals) arrive(told.node, sum, came);
    return true;
}

void board::arrive(node_number node, node_sum& sum, const arrival& who) {
    entry& known = at(who.system);
    const auto number = static_cast<std::uint32_t>(node.value());
    if (known.attached && known.node != number) {
        if (known.since > who.since) return;
        auto& before = nodes_[node_number(known.node)];
        depart(before, known, session::reason::replaced, who.since);
    }
    if (!known.attached) {
        ++sum.attached;
        ++sum.arrivals;
    }
    known = {
        .address = who.address,
        .since = who.since,
        .node = number,
        .why = known.why,
        .attached = true};
}

void board::depart(node_sum& sum, entry& who, session::reason why, seconds at) {
    MUSTER_ASSERT(sum.attached > 0);
    --sum.attached;
    who.attached = false;
    who.since = at;
    who.why = why;
}

void board::drop_unlisted(node_number node, node_sum& sum, const report& told) {
    const auto first = std::max<std::int64_t>(told.whole->first.value(), 1);
    const auto end = static_cast<std::int64_t>(pages_.size() * page_size);
    const auto last = std::min(told.whole->last.value(), end - 1);
    auto listed = told.arrivals.begin();
    for (auto value = first; value <= last; ++value) {
        const auto index = static_cast<std::size_t>(value);
        if (!pages_[index / page_size]) continue;
        entry& who = (*pages_[index / page_size])[index % page_size];
        if (!who.attached || who.node != static_cast<std::uint32_t>(node.value())) continue;
        while (listed != told.arrivals.end() && listed->system.value() < value) ++listed;
        const bool there = listed != told.arrivals.end() && listed->system.value() == value;
        if (!there) depart(sum, who, session::reason::unknown, told.at);
    }
}

void board::node_lost(node_number which, seconds at) {
    const auto found = nodes_.find(which);
    if (found == nodes_.end() || found->second.attached == 0) return;
    for (const auto& held : pages_) {
        if (!held) continue;
        for (auto& who : *held) {
            if (who.attached && who.node == static_cast<std::uint32_t>(which.value()))
                depart(found->second, who, session::reason::node_lost, at);
        }
    }
}

std::vector<node_number> board::expire(instant oldest) {
    std::vector<node_number> lost;
    for (const auto& [node, sum] : nodes_)
        if (sum.received < oldest && sum.attached > 0) lost.push_back(node);
    for (const auto node : lost) node_lost(node, nodes_[node].heard);
    return lost;
}

seconds board::last_seen(const entry& of) const {
    if (!of.attached) return of.since;
    const auto node = nodes_.find(node_number(of.node));
    return node == nodes_.end() ? of.since : std::max(of.since, node->second.heard);
}

std::size_t board::attached_in(std::string_view zone) const {
    std::size_t sum = 0;
    for (const auto& [node, each] : nodes_)
        if (each.zone == zone) sum += each.attached;
    return sum;
}

std::size_t board::attached_in_all() const {
    std::size_t sum = 0;
    for (const auto& [node, each] : nodes_) sum += each.attached;
    return sum;
}

std::size_t board::size_bytes() const {
    const auto held = static_cast<std::size_t>(
        std::ranges::count_if(pages_, [](const auto& each) { return each != nullptr; }));
    return held * sizeof(page) + pages_.capacity() * sizeof(pages_.front());
}

}  // namespace muster::presence
