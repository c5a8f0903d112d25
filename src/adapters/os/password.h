#pragma once

#include "adapters/os/background_worker.h"
#include "base/result.h"
#include "ports/async.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace muster::os {

inline constexpr std::size_t password_bytes_max = 1024;

// Argon2id (RFC 9106) with a random salt, in the "$argon2id$v=19$…" form.
result<std::string> hash_password(std::string_view password);

// errc::denied if the password does not match the hash.
result<void> verify_password(const std::string& hash, std::string_view password);

// Hashes and verifies on a background thread: one operation takes 0.1 s and 64 MiB on purpose.
// While `waiting_max` requests wait, others are refused with errc::unavailable. Thread-safe.
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
