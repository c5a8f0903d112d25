#pragma once

#include <string>
#include <string_view>

namespace muster::pki {

// HMAC-SHA256 (RFC 2104) of a message: 32 bytes.
struct hmac_input {
    std::string_view key;
    std::string_view message;
};
std::string hmac_sha256(const hmac_input& input);

}  // namespace muster::pki
