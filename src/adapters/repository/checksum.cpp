#include "adapters/repository/checksum.h"

#include "base/hex.h"

#include <openssl/evp.h>

#include <array>

namespace muster::repository {
namespace {

const EVP_MD* find_algorithm(std::string_view name) {
    if (name == "sha256") return EVP_sha256();
    if (name == "sha512") return EVP_sha512();
    if (name == "sha384") return EVP_sha384();
    if (name == "sha224") return EVP_sha224();
    if (name == "sha" || name == "sha1") return EVP_sha1();
    return nullptr;
}

}  // namespace

result<void> check_sum(std::string_view bytes, std::string_view kind, std::string_view expected) {
    const auto* const algorithm = find_algorithm(kind);
    if (algorithm == nullptr)
        return fail(errc::invalid, "unsupported checksum type \"" + std::string(kind) + "\"");
    TRY(const auto digest, from_hex(expected));
    std::array<unsigned char, EVP_MAX_MD_SIZE> buffer{};
    unsigned size = 0;
    if (EVP_Digest(bytes.data(), bytes.size(), buffer.data(), &size, algorithm, nullptr) != 1)
        return fail(errc::unavailable, "checksum calculation failed");
    const std::string actual(buffer.begin(), buffer.begin() + size);
    if (actual != digest)
        return fail(
            errc::corrupt,
            "repository file does not match its checksum; file changed in transit or repository "
            "update in progress; retry later");
    return {};
}

}  // namespace muster::repository
