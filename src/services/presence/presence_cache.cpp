#include "services/presence/presence_cache.h"

#include "core/presence/attachment_table.h"
#include "services/presence/report_codec.h"

#include <mutex>

namespace muster::presence {
namespace {

wall_time time_of(seconds moment) {
    return wall_time(std::chrono::seconds(moment));
}

}  // namespace

presence_cache::presence_cache() : board_(std::make_unique<attachment_table>()) {}

presence_cache::~presence_cache() = default;

std::optional<sighting> presence_cache::find(system_number system_number) const {
    const std::shared_lock lock(guard_);
    const auto* it = board_->find(system_number);
    if (it == nullptr) return std::nullopt;
    sighting observed{
        .attached = it->attached,
        .node = node_number(it->node),
        .last_seen = time_of(board_->last_seen(*it)),
        .address = to_string(it->address),
        .reason = {}};
    if (it->why != session::reason::unknown) observed.reason = session::to_string(it->why);
    return observed;
}

bool presence_cache::attached(system_number system_number) const {
    const std::shared_lock lock(guard_);
    return board_->attached(system_number);
}

std::size_t presence_cache::attached_in_all() const {
    const std::shared_lock lock(guard_);
    return board_->attached_in_all();
}

std::size_t presence_cache::attached_in(std::string_view zone) const {
    const std::shared_lock lock(guard_);
    return board_->attached_in(zone);
}

std::map<node_number, presence_cache::node_count> presence_cache::by_node() const {
    const std::shared_lock lock(guard_);
    std::map<node_number, node_count> counted;
    for (const auto& [node, sum] : board_->nodes())
        counted[node] = {sum.zone, sum.attached, sum.arrivals, time_of(sum.heard), sum.received};
    return counted;
}

std::size_t presence_cache::size_bytes() const {
    const std::shared_lock lock(guard_);
    return board_->size_bytes();
}

bool presence_cache::apply(const report& report, instant now) {
    const std::unique_lock lock(guard_);
    return board_->apply(report, now);
}

void presence_cache::node_lost(node_number node_number, wall_time at) {
    const std::unique_lock lock(guard_);
    board_->node_lost(node_number, seconds_of(at));
}

std::vector<node_number> presence_cache::expire(instant oldest) {
    const std::unique_lock lock(guard_);
    return board_->expire(oldest);
}

}  // namespace muster::presence
