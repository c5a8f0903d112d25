#include "core/presence/attachment_table.h"

#include "base/assert.h"

#include <algorithm>

namespace muster::presence {
namespace {

bool within_bounds(system_number system_number) {
    return system_number.value() > 0 && system_number.value() <= attachment_table::number_max;
}

bool makes_sense(const report& report) {
    if (report.node.value() <= 0 || report.node.value() > UINT32_MAX) return false;
    const bool numbers =
        std::ranges::all_of(
            report.arrivals, [](const arrival& arrival) { return within_bounds(arrival.system); })
        && std::ranges::all_of(report.departures, [](const departure& departure) {
               return within_bounds(departure.system);
           });
    return numbers && std::ranges::is_sorted(report.arrivals, {}, &arrival::system);
}

}  // namespace

const attachment_table::entry* attachment_table::find(system_number system_number) const {
    if (!within_bounds(system_number)) return nullptr;
    const auto index = static_cast<std::size_t>(system_number.value());
    if (index / page_size >= pages_.size()) return nullptr;
    const auto& held = pages_[index / page_size];
    if (!held) return nullptr;
    const entry& entry = (*held)[index % page_size];
    return entry.node == 0 ? nullptr : &entry;
}

attachment_table::entry& attachment_table::at(system_number system_number) {
    MUSTER_ASSERT(within_bounds(system_number));
    const auto index = static_cast<std::size_t>(system_number.value());
    if (index / page_size >= pages_.size()) pages_.resize(index / page_size + 1);
    auto& held = pages_[index / page_size];
    if (!held) held = std::make_unique<page>();
    return (*held)[index % page_size];
}

bool attachment_table::apply(const report& report, instant now) {
    if (!makes_sense(report)) return false;
    node_sum& sum = nodes_[report.node];
    const bool old =
        report.start < sum.start || (report.start == sum.start && report.sequence <= sum.sequence);
    if (old) return false;
    // The channels of the process before this one are gone, whatever it still said of them.
    if (report.start > sum.start && sum.start != 0) node_lost(report.node, report.at);
    sum.heard = report.start > sum.start ? report.at : std::max(sum.heard, report.at);
    sum.received = now;
    sum.zone = report.zone;
    sum.start = report.start;
    sum.sequence = report.sequence;
    if (report.whole) drop_unlisted(report.node, sum, report);
    for (const auto& left : report.departures) {
        entry& entry = at(left.system);
        if (entry.node == static_cast<std::uint32_t>(report.node.value()) && entry.attached)
            depart(sum, entry, left.why, left.at);
    }
    for (const auto& came : report.arrivals) arrive(report.node, sum, came);
    return true;
}

void attachment_table::arrive(node_number node, node_sum& sum, const arrival& arrival) {
    entry& entry = at(arrival.system);
    const auto number = static_cast<std::uint32_t>(node.value());
    if (entry.attached && entry.node != number) {
        if (entry.since > arrival.since) return;
        auto& before = nodes_[node_number(entry.node)];
        depart(before, entry, session::reason::replaced, arrival.since);
    }
    if (!entry.attached) {
        ++sum.attached;
        ++sum.arrivals;
    }
    entry = {
        .address = arrival.address,
        .since = arrival.since,
        .node = number,
        .why = entry.why,
        .attached = true};
}

void attachment_table::depart(node_sum& sum, entry& entry, session::reason why, seconds at) {
    MUSTER_ASSERT(sum.attached > 0);
    --sum.attached;
    entry.attached = false;
    entry.since = at;
    entry.why = why;
}

void attachment_table::drop_unlisted(node_number node, node_sum& sum, const report& report) {
    const auto first = std::max<std::int64_t>(report.whole->first.value(), 1);
    const auto end = static_cast<std::int64_t>(pages_.size() * page_size);
    const auto last = std::min(report.whole->last.value(), end - 1);
    auto listed = report.arrivals.begin();
    for (auto value = first; value <= last; ++value) {
        const auto index = static_cast<std::size_t>(value);
        if (!pages_[index / page_size]) continue;
        entry& entry = (*pages_[index / page_size])[index % page_size];
        if (!entry.attached || entry.node != static_cast<std::uint32_t>(node.value())) continue;
        while (listed != report.arrivals.end() && listed->system.value() < value) ++listed;
        const bool there = listed != report.arrivals.end() && listed->system.value() == value;
        if (!there) depart(sum, entry, session::reason::unknown, report.at);
    }
}

void attachment_table::node_lost(node_number node_number, seconds at) {
    const auto it = nodes_.find(node_number);
    if (it == nodes_.end() || it->second.attached == 0) return;
    for (const auto& held : pages_) {
        if (!held) continue;
        for (auto& who : *held) {
            if (who.attached && who.node == static_cast<std::uint32_t>(node_number.value()))
                depart(it->second, who, session::reason::node_lost, at);
        }
    }
}

std::vector<node_number> attachment_table::expire(instant oldest) {
    std::vector<node_number> lost;
    for (const auto& [node, sum] : nodes_)
        if (sum.received < oldest && sum.attached > 0) lost.push_back(node);
    for (const auto node : lost) node_lost(node, nodes_[node].heard);
    return lost;
}

seconds attachment_table::last_seen(const entry& of) const {
    if (!of.attached) return of.since;
    const auto node = nodes_.find(node_number(of.node));
    return node == nodes_.end() ? of.since : std::max(of.since, node->second.heard);
}

std::size_t attachment_table::attached_in(std::string_view zone) const {
    std::size_t sum = 0;
    for (const auto& [node, each] : nodes_)
        if (each.zone == zone) sum += each.attached;
    return sum;
}

std::size_t attachment_table::attached_in_all() const {
    std::size_t sum = 0;
    for (const auto& [node, each] : nodes_) sum += each.attached;
    return sum;
}

std::size_t attachment_table::size_bytes() const {
    const auto held = static_cast<std::size_t>(
        std::ranges::count_if(pages_, [](const auto& each) { return each != nullptr; }));
    return held * sizeof(page) + pages_.capacity() * sizeof(pages_.front());
}

}  // namespace muster::presence
