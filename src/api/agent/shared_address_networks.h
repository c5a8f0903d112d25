#pragma once

#include "core/model/network.h"

#include <boost/asio/ip/address.hpp>

#include <optional>
#include <vector>

namespace muster::api {

// Networks whose addresses are shared by many systems, such as a load balancer's.
using proxies = std::vector<network>;

// The address of the requesting system; nullopt if a proxy hides it. Rules about networks then do
// not apply to this system.
std::optional<address_bytes> own_address(
    const proxies& proxies, const boost::asio::ip::address& client);

}  // namespace muster::api
