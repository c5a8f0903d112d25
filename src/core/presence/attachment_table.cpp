#include "core/presence/attachment_table.h"

#include "base/assert.h"

#include <algorithm>

namespace muster::presence {
namespace {

bool within_bounds(system_number system) {
    return system.value() > 0 && system.value() <= attachment_table::number_max;
}

bool is_valid(const report& report) {
    if (report.node.value() <= 0 || report.node.value() > UINT32_MAX) return false;
    const bool numbers_valid =
        std::ranges::all_of(
            report.attach_events,
            [](const attach_event& event) { return within_bounds(event.system); })
        && std::ranges::all_of(report.detach_events, [](const detach_event& event) {
               return within_bounds(event.system);
           });
    return numbers_valid && std::ranges::is_sorted(report.attach_events, {}, &attach_event::system);
}

}  // namespace

const attachment_table::entry* attachment_table::find(system_number system) const {
    if (!within_bounds(system)) return nullptr;
    const auto index = static_cast<std::size_t>(system.value());
    if (index / page_size >= pages_.size()) return nullptr;
    const auto& page = pages_[index / page_size];
    if (!page) return nullptr;
    const entry& entry = (*page)[index % page_size];
    return entry.node == 0 ? nullptr : &entry;
}

attachment_table::entry& attachment_table::entry_of(system_number system) {
    MUSTER_ASSERT(within_bounds(system));
    const auto index = static_cast<std::size_t>(system.value());
    if (index / page_size >= pages_.size()) pages_.resize(index / page_size + 1);
    auto& entries = pages_[index / page_size];
    if (!entries) entries = std::make_unique<page>();
    return (*entries)[index % page_size];
}

bool attachment_table::apply(const report& report, instant now) {
    if (!is_valid(report)) return false;
    node_totals& totals = nodes_[report.node];
    const bool outdated = report.start < totals.start
                          || (report.start == totals.start && report.sequence <= totals.sequence);
    if (outdated) return false;
    // The connections of the earlier process are closed, whatever it reported.
    if (report.start > totals.start && totals.start != 0) on_node_lost(report.node, report.at);
    totals.last_report =
        report.start > totals.start ? report.at : std::max(totals.last_report, report.at);
    totals.received = now;
    totals.zone = report.zone;
    totals.start = report.start;
    totals.sequence = report.sequence;
    if (report.complete_range) detach_unlisted(report.node, totals, report);
    for (const auto& event : report.detach_events) {
        entry& entry = entry_of(event.system);
        if (entry.node == static_cast<std::uint32_t>(report.node.value()) && entry.attached)
            detach(totals, entry, event.why, event.at);
    }
    for (const auto& event : report.attach_events) attach(report.node, totals, event);
    return true;
}

void attachment_table::attach(node_number node, node_totals& totals, const attach_event& event) {
    entry& entry = entry_of(event.system);
    const auto number = static_cast<std::uint32_t>(node.value());
    if (entry.attached && entry.node != number) {
        if (entry.since > event.since) return;
        auto& previous = nodes_[node_number(entry.node)];
        detach(previous, entry, session::reason::replaced, event.since);
    }
    if (!entry.attached) {
        ++totals.attached;
        ++totals.attach_count;
    }
    entry = {
        .address = event.address,
        .since = event.since,
        .node = number,
        .why = entry.why,
        .attached = true};
}

void attachment_table::detach(node_totals& totals, entry& entry, session::reason why, seconds at) {
    MUSTER_ASSERT(totals.attached > 0);
    --totals.attached;
    entry.attached = false;
    entry.since = at;
    entry.why = why;
}

void attachment_table::detach_unlisted(
    node_number node, node_totals& totals, const report& report) {
    const auto first = std::max<std::int64_t>(report.complete_range->first.value(), 1);
    const auto end = static_cast<std::int64_t>(pages_.size() * page_size);
    const auto last = std::min(report.complete_range->last.value(), end - 1);
    auto listed = report.attach_events.begin();
    for (auto value = first; value <= last; ++value) {
        const auto index = static_cast<std::size_t>(value);
        if (!pages_[index / page_size]) continue;
        entry& entry = (*pages_[index / page_size])[index % page_size];
        if (!entry.attached || entry.node != static_cast<std::uint32_t>(node.value())) continue;
        while (listed != report.attach_events.end() && listed->system.value() < value) ++listed;
        const bool is_listed =
            listed != report.attach_events.end() && listed->system.value() == value;
        if (!is_listed) detach(totals, entry, session::reason::unknown, report.at);
    }
}

void attachment_table::on_node_lost(node_number node, seconds at) {
    const auto it = nodes_.find(node);
    if (it == nodes_.end() || it->second.attached == 0) return;
    for (const auto& page : pages_) {
        if (!page) continue;
        for (auto& entry : *page) {
            if (entry.attached && entry.node == static_cast<std::uint32_t>(node.value()))
                detach(it->second, entry, session::reason::node_lost, at);
        }
    }
}

std::vector<node_number> attachment_table::expire(instant oldest) {
    std::vector<node_number> lost;
    for (const auto& [node, totals] : nodes_)
        if (totals.received < oldest && totals.attached > 0) lost.push_back(node);
    for (const auto node : lost) on_node_lost(node, nodes_[node].last_report);
    return lost;
}

seconds attachment_table::last_seen(const entry& entry) const {
    if (!entry.attached) return entry.since;
    const auto node = nodes_.find(node_number(entry.node));
    return node == nodes_.end() ? entry.since : std::max(entry.since, node->second.last_report);
}

std::size_t attachment_table::attached_in(std::string_view zone) const {
    std::size_t sum = 0;
    for (const auto& [node, totals] : nodes_)
        if (totals.zone == zone) sum += totals.attached;
    return sum;
}

std::size_t attachment_table::attached_total() const {
    std::size_t sum = 0;
    for (const auto& [node, totals] : nodes_) sum += totals.attached;
    return sum;
}

std::size_t attachment_table::size_bytes() const {
    const auto allocated = static_cast<std::size_t>(
        std::ranges::count_if(pages_, [](const auto& entries) { return entries != nullptr; }));
    return allocated * sizeof(page) + pages_.capacity() * sizeof(pages_.front());
}

}  // namespace muster::presence
