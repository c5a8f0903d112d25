#include "apps/agent/service/identity.h"

#include "adapters/pki/pem_file.h"

#include <fmt/format.h>

#include <utility>

namespace muster::agent {

result<identity> load_or_create_identity(const std::filesystem::path& file) {
    if (!std::filesystem::exists(file)) {
        TRY(const auto created, pki::private_key::create(pki::key_kind::ed25519));
        CHECK_OK(pki::save_pem(file, created.to_pem()));
    }
    TRY(const auto text, pki::load_pem(file));
    auto key = pki::private_key::from_pem(text);
    if (!key) return fail(key.error().with_context(file.string()));
    const auto public_key = key->public_half();
    if (!public_key.ed25519_bytes()) {
        return fail(
            errc::invalid,
            fmt::format("{} is not an Ed25519 key; move the file away", file.string()));
    }
    TRY(const auto fingerprint, pki::pem_fingerprint(public_key.to_pem()));
    return identity(*std::move(key), fingerprint);
}

}  // namespace muster::agent
