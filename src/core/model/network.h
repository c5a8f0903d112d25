#pragma once

#include "base/result.h"

#include <array>
#include <cstddef>
#include <string_view>

namespace muster {

// An IP address as 16 bytes; those of IPv4 as IPv6 writes them (::ffff:192.0.2.7).
using address_bytes = std::array<unsigned char, 16>;

// Strict: an address as people write it, of either family, without a zone.
result<address_bytes> parse_address(std::string_view text);

// "192.0.2.0/24", "2001:db8::/32", or one address.
class network {
public:
    // errc::invalid with the text and what is wrong; also when bits behind the mask are set, since
    // then the writer meant something else.
    static result<network> parse(std::string_view text);

    bool contains(const address_bytes& address) const;

private:
    network(const address_bytes& base, std::size_t bits) : base_(base), bits_(bits) {}

    address_bytes base_;
    std::size_t bits_;
};

}  // namespace muster
