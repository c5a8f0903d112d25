#include "roles/gateway/proxies.h"

#include "adapters/net/counted_address.h"

#include <algorithm>

namespace muster::gateway {

namespace ip = boost::asio::ip;

bool stands_for_many(const proxies& known, const ip::address& address) {
    return std::ranges::any_of(known, [from = net::bytes_of(address)](const network& each) {
        return each.contains(from);
    });
}

std::optional<address_bytes> own_address(const proxies& known, const ip::address& client) {
    if (stands_for_many(known, client)) return std::nullopt;
    return net::bytes_of(client);
}

}  // namespace muster::gateway
