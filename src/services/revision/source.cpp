#include "services/revision/source.h"

#include "adapters/pki/fingerprint.h"
#include "base/hex.h"

#include <utility>

namespace muster::revision {

std::string digest_of(const section& what) {
    return to_hex(pki::sha256(canonical(what)));
}

digests digests_of(const sections& what) {
    digests made;
    for (const auto& [name, each] : what) made.emplace(name, digest_of(each));
    return made;
}

std::string digest_of(const digests& what) {
    return to_hex(pki::sha256(canonical(what)));
}

std::optional<sections> held_by(const sources& all) {
    sections made;
    for (const auto& each : all) {
        auto held = each.held();
        if (!held) return std::nullopt;
        made.emplace(each.name, *std::move(held));
    }
    return made;
}

async<sections> recorded_in(const sources* all) {
    sections made;
    for (const auto& each : *all) {
        CO_TRY(auto read, co_await each.recorded());
        made.emplace(each.name, std::move(read));
    }
    co_return made;
}

}  // namespace muster::revision
