#include "core/fleet/roster.h"

namespace muster::fleet {

roster::outcome roster::apply(const system_record& row, std::uint8_t reading) {
    const auto known = systems_.find(row.print);
    if (known == systems_.end()) {
        if (row.stage == enrolment::evicted) return {};
        packed_record packed(row);
        packed.seen_in = reading;
        systems_.emplace(row.print, std::move(packed));
        return {.changed = true, .before = std::nullopt};
    }
    known->second.seen_in = reading;
    if (row.version <= known->second.version()) return {};
    outcome done{.changed = true, .before = std::move(known->second)};
    if (row.stage == enrolment::evicted) {
        systems_.erase(known);
    } else {
        known->second = packed_record(row);
        known->second.seen_in = reading;
    }
    return done;
}

const packed_record* roster::find(const fingerprint& print) const {
    const auto found = systems_.find(print);
    return found == systems_.end() ? nullptr : &found->second;
}

std::vector<const roster::item*> roster::page(
    const std::optional<fingerprint>& after, std::size_t count) const {
    std::vector<const item*> found;
    auto at = after ? systems_.upper_bound(*after) : systems_.begin();
    for (; at != systems_.end() && found.size() < count; ++at) found.push_back(&*at);
    return found;
}

std::vector<std::pair<fingerprint, packed_record>> roster::forget_unseen(std::uint8_t reading) {
    std::vector<std::pair<fingerprint, packed_record>> forgotten;
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

std::uint64_t roster::prefix_of(const fingerprint& print) {
    std::uint64_t prefix = 0;
    for (std::size_t byte = 0; byte < sizeof prefix; ++byte)
        prefix = (prefix << 8U) | print.bytes().at(byte);
    return prefix;
}

fingerprint roster::first_with(std::uint64_t prefix) {
    fingerprint::bytes_type bytes{};
    for (std::size_t byte = 0; byte < sizeof prefix; ++byte)
        bytes.at(byte) = static_cast<unsigned char>(prefix >> (8 * (sizeof prefix - 1 - byte)));
    return fingerprint(bytes);
}

}  // namespace muster::fleet
