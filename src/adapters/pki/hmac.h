#pragma once

#include <string>
#include <string_view>

namespace muster::pki {

// HMAC-SHA256 (RFC 2104) of a message, 32 bytes: only who has the key can make it.
struct keyed_message {
    std::string_view key;
    std::string_view message;
};
std::string hmac_sha256(const keyed_message& keyed_message);

}  // namespace muster::pki
