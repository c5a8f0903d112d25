#include "services/presence/presence.h"

#include "core/presence/board.h"
#include "services/presence/report_codec.h"

#include <mutex>

namespace muster::presence {
namespace {

wall_time time_of(seconds moment) {
    return wall_time(std::chrono::seconds(moment));
}

}  // namespace

presence::presence() : board_(std::make_unique<board>()) {}

presence::~presence() = default;

std::optional<sighting> presence::find(system_number which) const {
    const std::shared_lock lock(guard_);
    const auto* found = board_->find(which);
    if (found == nullptr) return std::nullopt;
    sighting seen{
        .attached = found->attached,
        .node = node_number(found->node),
        .last_seen = time_of(board_->last_seen(*found)),
        .address = to_string(found->address),
        .reason = {}};
    if (found->why != session::reason::unknown) seen.reason = session::to_string(found->why);
    return seen;
}

bool presence::attached(system_number which) const {
    const std::shared_lock lock(guard_);
    return board_->attached(which);
}

std::size_t presence::attached_in_all() const {
    const std::shared_lock lock(guard_);
    return board_->attached_in_all();
}

std::size_t presence::attached_in(std::string_view zone) const {
    const std::shared_lock lock(guard_);
    return board_->attached_in(zone);
}

std::map<node_number, presence::node_count> presence::by_node() const {
    const std::shared_lock lock(guard_);
    std::map<node_number, node_count> counted;
    for (const auto& [node, sum] : board_->nodes())
        counted[node] = {sum.zone, sum.attached, sum.arrivals, time_of(sum.heard), sum.received};
    return counted;
}

std::size_t presence::size_bytes() const {
    const std::shared_lock lock(guard_);
    return board_->size_bytes();
}

bool presence::apply(const report& told, instant now) {
    const std::unique_lock lock(guard_);
    return board_->apply(told, now);
}

void presence::node_lost(node_number which, wall_time at) {
    const std::unique_lock lock(guard_);
    board_->node_lost(which, seconds_of(at));
}

std::vector<node_number> presence::expire(instant oldest) {
    const std::unique_lock lock(guard_);
    return board_->expire(oldest);
}

}  // namespace muster::presence
