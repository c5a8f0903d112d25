#pragma once

#include "core/model/network.h"

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <vector>

namespace muster::net {

// How an address is compared with networks, and under which one its limits are counted.

inline address_bytes bytes_of(const boost::asio::ip::address& address) {
    namespace ip = boost::asio::ip;
    address_bytes bytes{};
    const auto v6 =
        address.is_v4() ? ip::make_address_v6(ip::v4_mapped, address.to_v4()) : address.to_v6();
    std::ranges::copy(v6.to_bytes(), bytes.begin());
    return bytes;
}

// Whoever has an IPv6 address has 2^64 of them, so all of such a network count as one.
inline address_bytes counted_as(const boost::asio::ip::address& address) {
    auto bytes = bytes_of(address);
    if (address.is_v6() && !address.to_v6().is_v4_mapped())
        std::fill(bytes.begin() + 8, bytes.end(), static_cast<unsigned char>(0));
    return bytes;
}

// Whether an address is of networks that stand for many, such as a load balancer's: then the limits
// of one address are not for it.
inline bool stands_for_many(
    const std::vector<network>& networks, const boost::asio::ip::address& address) {
    return std::ranges::any_of(networks, [from = bytes_of(address)](const network& network) {
        return network.contains(from);
    });
}

}  // namespace muster::net
