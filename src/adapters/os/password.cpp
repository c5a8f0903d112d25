#include "adapters/os/password.h"

#include "adapters/os/random.h"

#include <fmt/format.h>

#include <argon2.h>
#include <cstdint>
#include <utility>

namespace muster::os {
namespace {

// RFC 9106, section 4, second recommended option, on one lane.
constexpr std::uint32_t passes = 3;
constexpr std::uint32_t memory_kib = 64 * 1024;
constexpr std::uint32_t lanes = 1;
constexpr std::size_t salt_bytes = 16;
constexpr std::size_t hash_bytes = 32;

result<void> check_size(std::string_view password) {
    if (password.empty()) return fail(errc::invalid, "password is empty");
    if (password.size() > password_bytes_max)
        return fail(
            errc::invalid, fmt::format("password is longer than {} bytes", password_bytes_max));
    return {};
}

}  // namespace

result<std::string> hash_password(std::string_view password) {
    CHECK_OK(check_size(password));
    const auto salt = random_bytes(salt_bytes);
    std::string encoded(
        ::argon2_encodedlen(passes, memory_kib, lanes, salt_bytes, hash_bytes, Argon2_id), '\0');
    const int outcome = ::argon2id_hash_encoded(
        passes,
        memory_kib,
        lanes,
        password.data(),
        password.size(),
        salt.data(),
        salt.size(),
        hash_bytes,
        encoded.data(),
        encoded.size());
    if (outcome != ARGON2_OK)
        return fail(
            errc::unavailable,
            fmt::format("cannot hash the password: {}", ::argon2_error_message(outcome)));
    encoded.resize(encoded.find('\0'));
    return encoded;
}

result<void> verify_password(const std::string& hash, std::string_view password) {
    CHECK_OK(check_size(password));
    const int outcome = ::argon2id_verify(hash.c_str(), password.data(), password.size());
    if (outcome == ARGON2_OK) return {};
    if (outcome == ARGON2_VERIFY_MISMATCH) return fail(errc::denied, "wrong password");
    if (outcome == ARGON2_MEMORY_ALLOCATION_ERROR)
        return fail(errc::unavailable, "not enough memory to check a password");
    return fail(
        errc::corrupt,
        fmt::format("stored password hash is damaged: {}", ::argon2_error_message(outcome)));
}

async<void> password_verifier::verify(std::string hash, std::string password) {
    return worker_.run<void>([hash = std::move(hash), password = std::move(password)] {
        return verify_password(hash, password);
    });
}

async<std::string> password_verifier::hash(std::string password) {
    return worker_.run<std::string>(
        [password = std::move(password)] { return hash_password(password); });
}

}  // namespace muster::os
