#include "apps/agent/service/identity.h"

#include "adapters/pki/pem_file.h"

#include <fmt/format.h>

#include <utility>

namespace muster::agent {

result<identity> load_or_make_identity(const std::filesystem::path& file) {
    if (!std::filesystem::exists(file)) {
        TRY(const auto result, pki::private_key::make(pki::key_kind::ed25519));
        CHECK_OK(pki::save_pem(file, result.to_pem()));
    }
    TRY(const auto text, pki::load_pem(file));
    auto key = pki::private_key::from_pem(text);
    if (!key) return fail(key.error().within(file.string()));
    const auto half = key->public_half();
    if (!half.ed25519_bytes()) {
        return fail(
            errc::invalid, fmt::format("{} is not an Ed25519 key; move it away", file.string()));
    }
    TRY(const auto print, pki::pem_fingerprint(half.to_pem()));
    return identity(*std::move(key), print);
}

}  // namespace muster::agent
