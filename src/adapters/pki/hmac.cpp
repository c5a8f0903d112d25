#include "adapters/pki/hmac.h"

#include "base/assert.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <cstddef>

namespace muster::pki {

std::string hmac_sha256(const hmac_input& input) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int size = 0;
    const auto* const done = HMAC(
        EVP_sha256(),
        input.key.data(),
        static_cast<int>(input.key.size()),
        // OpenSSL uses unsigned bytes.
        reinterpret_cast<const unsigned char*>(input.message.data()),
        input.message.size(),
        digest.data(),
        &size);
    MUSTER_ASSERT(done != nullptr);
    std::string bytes;
    for (std::size_t index = 0; index < size; ++index)
        bytes.push_back(static_cast<char>(digest.at(index)));
    return bytes;
}

}  // namespace muster::pki
