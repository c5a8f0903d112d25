#include "adapters/pki/hmac.h"

#include "base/assert.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <cstddef>

namespace muster::pki {

std::string hmac_sha256(const keyed_message& what) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> made{};
    unsigned int size = 0;
    const auto* const done = HMAC(
        EVP_sha256(),
        what.key.data(),
        static_cast<int>(what.key.size()),
        // OpenSSL's bytes are unsigned, ours are char.
        reinterpret_cast<const unsigned char*>(what.message.data()),
        what.message.size(),
        made.data(),
        &size);
    MUSTER_ASSERT(done != nullptr);
    std::string bytes;
    for (std::size_t at = 0; at < size; ++at) bytes.push_back(static_cast<char>(made.at(at)));
    return bytes;
}

}  // namespace muster::pki
