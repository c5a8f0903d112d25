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
    for (const auto& [name, section] : sections) result.emplace(name, digest_of(section));
    return result;
}

std::string digest_of(const digests& digests) {
    return to_hex(pki::sha256(canonical(digests)));
}

std::optional<sections> held_sections(const sources& sources) {
    sections result;
    for (const auto& source : sources) {
        auto held = source.held();
        if (!held) return std::nullopt;
        result.emplace(source.name, *std::move(held));
    }
    return result;
}

async<sections> read_sections(const sources* sources) {
    sections result;
    for (const auto& source : *sources) {
        CO_TRY(auto section, co_await source.recorded());
        result.emplace(source.name, std::move(section));
    }
    co_return result;
}

}  // namespace muster::revision
