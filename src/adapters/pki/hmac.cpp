#include "adapters/pki/hmac.h"

#include "base/assert.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <cstddef>

namespace muster::pki {

std::string hmac_sha256(const keyed_message& keyed_message) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> result{};
    unsigned int size = 0;
    const auto* const done = HMAC(
        EVP_sha256(),
        keyed_message.key.data(),
        static_cast<int>(keyed_message.key.size()),
        // OpenSSL's bytes are unsigned, ours are char.
        reinterpret_cast<const unsigned char*>(keyed_message.message.data()),
        keyed_message.message.size(),
        result.data(),
        &size);
    MUSTER_ASSERT(done != nullptr);
    std::string bytes;
    for (std::size_t at = 0; at < size; ++at) bytes.push_back(static_cast<char>(result.at(at)));
    return bytes;
}

}  // namespace muster::pki
