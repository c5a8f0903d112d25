#pragma once

#include "core/model/network.h"

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <vector>

namespace muster::net {

// How addresses are compared with networks, and the key under which their limits are counted.

inline address_bytes bytes_of(const boost::asio::ip::address& address) {
    namespace ip = boost::asio::ip;
    address_bytes bytes{};
    const auto v6 =
        address.is_v4() ? ip::make_address_v6(ip::v4_mapped, address.to_v4()) : address.to_v6();
    std::ranges::copy(v6.to_bytes(), bytes.begin());
    return bytes;
}

// The owner of an IPv6 address owns its /64 network, so such a network counts as one address.
inline address_bytes limit_key(const boost::asio::ip::address& address) {
    auto bytes = bytes_of(address);
    if (address.is_v6() && !address.to_v6().is_v4_mapped())
        std::fill(bytes.begin() + 8, bytes.end(), static_cast<unsigned char>(0));
    return bytes;
}

// True if the address is in a network shared by many clients, such as a load balancer's. The limits
// per address do not apply to it.
inline bool is_shared_address(
    const std::vector<network>& networks, const boost::asio::ip::address& address) {
    return std::ranges::any_of(networks, [bytes = bytes_of(address)](const network& network) {
        return network.contains(bytes);
    });
}

}  // namespace muster::net
