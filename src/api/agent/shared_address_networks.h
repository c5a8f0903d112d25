#pragma once

#include "core/model/network.h"

#include <boost/asio/ip/address.hpp>

#include <optional>
#include <vector>

namespace muster::api {

// Networks whose addresses stand for many systems, such as a load balancer's.
using proxies = std::vector<network>;

// The address of the system that a request comes from; nothing when a proxy hides it: what is said
// of networks then says nothing about this system.
std::optional<address_bytes> own_address(
    const proxies& proxies, const boost::asio::ip::address& client);

}  // namespace muster::api
