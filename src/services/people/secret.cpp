#include "services/people/secret.h"

#include "adapters/os/random.h"
#include "adapters/pki/fingerprint.h"
#include "base/hex.h"

#include <algorithm>

namespace muster::people {
namespace {

constexpr std::size_t secret_bytes = 32;
constexpr std::size_t secret_digits = 2 * secret_bytes;
constexpr std::size_t id_digits = 16;
constexpr std::size_t era_bytes = 8;
constexpr std::string_view token_prefix = "mst_";

bool are_hex_digits(std::string_view text) {
    return std::ranges::all_of(text, [](char digit) {
        return (digit >= '0' && digit <= '9') || (digit >= 'a' && digit <= 'f');
    });
}

}  // namespace

std::string create_secret(secret_kind kind) {
    auto digits = to_hex(os::random_bytes(secret_bytes));
    return kind == secret_kind::token ? std::string(token_prefix) + digits : digits;
}

std::optional<secret_kind> kind_of_secret(std::string_view secret) {
    const bool token = secret.starts_with(token_prefix);
    if (token) secret.remove_prefix(token_prefix.size());
    if (secret.size() != secret_digits || !are_hex_digits(secret)) return std::nullopt;
    return token ? secret_kind::token : secret_kind::session;
}

std::string digest_of(std::string_view secret) {
    return to_hex(pki::sha256(secret));
}

std::string id_of_digest(std::string_view digest) {
    return std::string(digest.substr(0, id_digits));
}

bool is_id(std::string_view text) {
    return text.size() == id_digits && are_hex_digits(text);
}

std::string csrf_of(std::string_view secret) {
    return to_hex(pki::sha256("muster csrf " + std::string(secret)));
}

std::string create_era() {
    return to_hex(os::random_bytes(era_bytes));
}

}  // namespace muster::people
