#include "core/stream/recent_ids.h"

#include "base/assert.h"

namespace muster::stream {

std::optional<std::uint64_t> recent_ids::find(const std::string& id) const {
    const auto it = sequences_.find(id);
    if (it == sequences_.end()) return std::nullopt;
    return it->second;
}

void recent_ids::remember(entry entry) {
    const auto [it, added] = sequences_.emplace(std::move(entry.id), entry.sequence);
    MUSTER_ASSERT(added);
    order_.push_back({.it = it, .at = entry.at});
    if (order_.size() > limits_.ids_max) forget_oldest();
}

void recent_ids::expire(instant now) {
    while (!order_.empty() && order_.front().at + limits_.span <= now) forget_oldest();
}

std::vector<recent_ids::entry> recent_ids::entries() const {
    std::vector<entry> result;
    result.reserve(order_.size());
    for (const auto& [it, at] : order_)
        result.push_back({.id = it->first, .sequence = it->second, .at = at});
    return result;
}

void recent_ids::forget_oldest() {
    sequences_.erase(order_.front().it);
    order_.pop_front();
}

}  // namespace muster::stream
