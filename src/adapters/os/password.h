#pragma once

#include "adapters/os/background_worker.h"
#include "base/result.h"
#include "ports/async.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace muster::os {

inline constexpr std::size_t password_bytes_max = 1024;

// Argon2id (RFC 9106) with a salt of its own, in the usual "$argon2id$v=19$…" form.
result<std::string> hash_password(std::string_view password);

// errc::denied when the password is not the one that was hashed.
result<void> verify_password(const std::string& hash, std::string_view password);

// Hashes and verifies on a thread of its own: one takes a tenth of a second and 64 MiB on purpose.
// When `waiting_max` wait, further ones are refused with errc::unavailable. Thread-safe.
class password_verifier {
public:
    static constexpr std::size_t waiting_max = 64;

    password_verifier() : worker_(waiting_max) {}

    async<void> verify(std::string hash, std::string password);
    async<std::string> hash(std::string password);

private:
    background_worker worker_;
};

}  // namespace muster::os
