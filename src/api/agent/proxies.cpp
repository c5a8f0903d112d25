#include "api/agent/proxies.h"

#include "adapters/net/counted_address.h"

namespace muster::api {

namespace ip = boost::asio::ip;

std::optional<address_bytes> own_address(const proxies& known, const ip::address& client) {
    if (net::stands_for_many(known, client)) return std::nullopt;
    return net::bytes_of(client);
}

}  // namespace muster::api
