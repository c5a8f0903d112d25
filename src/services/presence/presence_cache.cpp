#include "services/presence/presence_cache.h"

#include "core/presence/attachment_table.h"
#include "services/presence/report_codec.h"

#include <mutex>

namespace muster::presence {
namespace {

wall_time to_wall_time(seconds moment) {
    return wall_time(std::chrono::seconds(moment));
}

}  // namespace

presence_cache::presence_cache() : table_(std::make_unique<attachment_table>()) {}

presence_cache::~presence_cache() = default;

std::optional<sighting> presence_cache::find(system_number system) const {
    const std::shared_lock lock(mutex_);
    const auto* it = table_->find(system);
    if (it == nullptr) return std::nullopt;
    sighting last_seen{
        .attached = it->attached,
        .node = node_number(it->node),
        .last_seen = to_wall_time(table_->last_seen(*it)),
        .address = to_string(it->address),
        .reason = {}};
    if (it->why != session::reason::unknown) last_seen.reason = session::to_string(it->why);
    return last_seen;
}

bool presence_cache::is_attached(system_number system) const {
    const std::shared_lock lock(mutex_);
    return table_->is_attached(system);
}

std::size_t presence_cache::attached_total() const {
    const std::shared_lock lock(mutex_);
    return table_->attached_total();
}

std::size_t presence_cache::attached_in(std::string_view zone) const {
    const std::shared_lock lock(mutex_);
    return table_->attached_in(zone);
}

std::map<node_number, presence_cache::node_count> presence_cache::by_node() const {
    const std::shared_lock lock(mutex_);
    std::map<node_number, node_count> counts;
    for (const auto& [node, node_state] : table_->nodes())
        counts[node] = {
            node_state.zone,
            node_state.attached,
            node_state.attach_count,
            to_wall_time(node_state.last_report),
            node_state.received};
    return counts;
}

std::size_t presence_cache::size_bytes() const {
    const std::shared_lock lock(mutex_);
    return table_->size_bytes();
}

bool presence_cache::apply(const report& report, instant now) {
    const std::unique_lock lock(mutex_);
    return table_->apply(report, now);
}

void presence_cache::node_lost(node_number node, wall_time time) {
    const std::unique_lock lock(mutex_);
    table_->on_node_lost(node, to_seconds(time));
}

std::vector<node_number> presence_cache::expire(instant oldest) {
    const std::unique_lock lock(mutex_);
    return table_->expire(oldest);
}

}  // namespace muster::presence
