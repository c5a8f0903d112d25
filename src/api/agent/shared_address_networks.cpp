#include "api/agent/shared_address_networks.h"

#include "adapters/net/address_limit_key.h"

namespace muster::api {

namespace ip = boost::asio::ip;

std::optional<address_bytes> own_address(const proxies& proxies, const ip::address& client) {
    if (net::is_shared_address(proxies, client)) return std::nullopt;
    return net::bytes_of(client);
}

}  // namespace muster::api
