#include "services/fleet/system_cache_shard.h"

namespace muster::fleet {

const compact_system_record* system_cache_shard::find(const fingerprint& print) const {
    const auto it = by_prefix_.find(system_map::prefix_of(print));
    if (it == by_prefix_.end()) return nullptr;
    const auto& [first, record] = *it->second;
    return first == print ? &record : systems_.find(print);
}

system_map::outcome system_cache_shard::apply(const system_record& row, std::uint8_t reading) {
    auto outcome = systems_.apply(row, reading);
    const bool is_present = row.stage != enrolment::evicted;
    if (outcome.changed && is_present != outcome.before.has_value()) update_index(row.print);
    return outcome;
}

std::vector<std::pair<fingerprint, compact_system_record>> system_cache_shard::erase_unseen(
    std::uint8_t reading) {
    auto erased = systems_.forget_unseen(reading);
    for (const auto& entry : erased) update_index(entry.first);
    return erased;
}

// Called after systems with this prefix were added or removed.
void system_cache_shard::update_index(const fingerprint& print) {
    const auto prefix = system_map::prefix_of(print);
    const auto* const first =
        systems_.find_prefix(prefix, [](const auto& /*any*/) { return true; });
    if (first == nullptr) {
        by_prefix_.erase(prefix);
    } else {
        by_prefix_[prefix] = first;
    }
}

}  // namespace muster::fleet
