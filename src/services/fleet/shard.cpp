#include "services/fleet/shard.h"

namespace muster::fleet {

const packed_record* shard::find(const fingerprint& print) const {
    const auto found = near_.find(roster::prefix_of(print));
    if (found == near_.end()) return nullptr;
    const auto& [first, record] = *found->second;
    return first == print ? &record : systems_.find(print);
}

roster::outcome shard::apply(const system_record& row, std::uint8_t reading) {
    auto done = systems_.apply(row, reading);
    const bool there = row.stage != enrolment::evicted;
    if (done.changed && there != done.before.has_value()) look_again(row.print);
    return done;
}

std::vector<std::pair<fingerprint, packed_record>> shard::forget_unseen(std::uint8_t reading) {
    auto gone = systems_.forget_unseen(reading);
    for (const auto& each : gone) look_again(each.first);
    return gone;
}

// Those with the same first bytes came or went.
void shard::look_again(const fingerprint& print) {
    const auto prefix = roster::prefix_of(print);
    const auto* const first =
        systems_.find_prefix(prefix, [](const auto& /*any*/) { return true; });
    if (first == nullptr) {
        near_.erase(prefix);
    } else {
        near_[prefix] = first;
    }
}

}  // namespace muster::fleet
