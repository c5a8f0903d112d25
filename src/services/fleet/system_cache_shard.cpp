#include "services/fleet/system_cache_shard.h"

namespace muster::fleet {

const compact_system_record* shard::find(const fingerprint& print) const {
    const auto it = near_.find(system_map::prefix_of(print));
    if (it == near_.end()) return nullptr;
    const auto& [first, record] = *it->second;
    return first == print ? &record : systems_.find(print);
}

system_map::outcome shard::apply(const system_record& row, std::uint8_t reading) {
    auto done = systems_.apply(row, reading);
    const bool there = row.stage != enrolment::evicted;
    if (done.changed && there != done.before.has_value()) look_again(row.print);
    return done;
}

std::vector<std::pair<fingerprint, compact_system_record>> shard::forget_unseen(
    std::uint8_t reading) {
    auto gone = systems_.forget_unseen(reading);
    for (const auto& each : gone) look_again(each.first);
    return gone;
}

// Those with the same first bytes came or went.
void shard::look_again(const fingerprint& print) {
    const auto prefix = system_map::prefix_of(print);
    const auto* const first =
        systems_.find_prefix(prefix, [](const auto& /*any*/) { return true; });
    if (first == nullptr) {
        near_.erase(prefix);
    } else {
        near_[prefix] = first;
    }
}

}  // namespace muster::fleet
