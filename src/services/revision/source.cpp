#include "services/revision/source.h"

#include "adapters/pki/fingerprint.h"
#include "base/hex.h"

#include <utility>

namespace muster::revision {

std::string digest_of(const section& section) {
    return to_hex(pki::sha256(canonical(section)));
}

digests digests_of(const sections& sections) {
    digests result;
    for (const auto& [name, each] : sections) result.emplace(name, digest_of(each));
    return result;
}

std::string digest_of(const digests& digests) {
    return to_hex(pki::sha256(canonical(digests)));
}

std::optional<sections> held_by(const sources& all) {
    sections result;
    for (const auto& each : all) {
        auto held = each.held();
        if (!held) return std::nullopt;
        result.emplace(each.name, *std::move(held));
    }
    return result;
}

async<sections> recorded_in(const sources* all) {
    sections result;
    for (const auto& each : *all) {
        CO_TRY(auto read, co_await each.recorded());
        result.emplace(each.name, std::move(read));
    }
    co_return result;
}

}  // namespace muster::revision
