#include "core/fleet/system_map.h"

namespace muster::fleet {

system_map::outcome system_map::apply(const system_record& row, std::uint8_t reading) {
    const auto it = systems_.find(row.print);
    if (it == systems_.end()) {
        if (row.stage == enrolment::evicted) return {};
        compact_system_record packed(row);
        packed.seen_in = reading;
        systems_.emplace(row.print, std::move(packed));
        return {.changed = true, .before = std::nullopt};
    }
    it->second.seen_in = reading;
    if (row.version <= it->second.version()) return {};
    outcome done{.changed = true, .before = std::move(it->second)};
    if (row.stage == enrolment::evicted) {
        systems_.erase(it);
    } else {
        it->second = compact_system_record(row);
        it->second.seen_in = reading;
    }
    return done;
}

const compact_system_record* system_map::find(const fingerprint& print) const {
    const auto it = systems_.find(print);
    return it == systems_.end() ? nullptr : &it->second;
}

std::vector<const system_map::item*> system_map::page(
    const std::optional<fingerprint>& after, std::size_t count) const {
    std::vector<const item*> items;
    auto at = after ? systems_.upper_bound(*after) : systems_.begin();
    for (; at != systems_.end() && items.size() < count; ++at) items.push_back(&*at);
    return items;
}

std::vector<std::pair<fingerprint, compact_system_record>> system_map::forget_unseen(
    std::uint8_t reading) {
    std::vector<std::pair<fingerprint, compact_system_record>> forgotten;
    for (auto at = systems_.begin(); at != systems_.end();) {
        if (at->second.seen_in == reading) {
            ++at;
        } else {
            forgotten.emplace_back(at->first, std::move(at->second));
            at = systems_.erase(at);
        }
    }
    return forgotten;
}

std::uint64_t system_map::prefix_of(const fingerprint& print) {
    std::uint64_t prefix = 0;
    for (std::size_t byte = 0; byte < sizeof prefix; ++byte)
        prefix = (prefix << 8U) | print.bytes().at(byte);
    return prefix;
}

fingerprint system_map::first_with(std::uint64_t prefix) {
    fingerprint::bytes_type bytes{};
    for (std::size_t byte = 0; byte < sizeof prefix; ++byte)
        bytes.at(byte) = static_cast<unsigned char>(prefix >> (8 * (sizeof prefix - 1 - byte)));
    return fingerprint(bytes);
}

}  // namespace muster::fleet
