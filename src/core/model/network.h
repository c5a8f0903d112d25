#pragma once

#include "base/result.h"

#include <array>
#include <cstddef>
#include <string_view>

namespace muster {

// An IP address as 16 bytes; IPv4 addresses are mapped to IPv6 (::ffff:192.0.2.7).
using address_bytes = std::array<unsigned char, 16>;

// Strict: an IPv4 or IPv6 address in its usual notation, without a scope id.
result<address_bytes> parse_address(std::string_view text);

// "192.0.2.0/24", "2001:db8::/32", or one address.
class network {
public:
    // errc::invalid names the text and the problem. Bits set behind the mask are an error, because
    // they indicate a typing mistake.
    static result<network> parse(std::string_view text);

    bool contains(const address_bytes& address) const;

private:
    network(const address_bytes& base, std::size_t bits) : base_(base), bits_(bits) {}

    address_bytes base_;
    std::size_t bits_;
};

}  // namespace muster
