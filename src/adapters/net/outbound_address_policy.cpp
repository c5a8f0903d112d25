#include "adapters/net/outbound_address_policy.h"

#include "adapters/resolver/resolver.h"

#include <algorithm>
#include <utility>

namespace muster::net {
namespace {

namespace ip = boost::asio::ip;

// 169.254.0.0/16 or fe80::/10.
bool is_link_local(const ip::address& address) {
    if (address.is_v6()) return address.to_v6().is_link_local();
    constexpr unsigned mask = 0xffff0000U;
    constexpr unsigned network = 0xa9fe0000U;
    return (address.to_v4().to_uint() & mask) == network;
}

}  // namespace

ip::address normalize(ip::address address) {
    if (address.is_v6() && address.to_v6().is_v4_mapped())
        address = ip::make_address_v4(ip::v4_mapped, address.to_v6());
    if (address.is_loopback() || address.is_unspecified()) return ip::address_v4::loopback();
    return address;
}

bool address_filter::allows(const ip::tcp::endpoint& target) const {
    const auto address = normalize(target.address());
    if (address.is_multicast() || is_link_local(address)) return false;
    if (address.is_loopback() && !options_.allow_loopback) return false;
    return !options_.blocked.contains({address, target.port()});
}

async<std::shared_ptr<const address_filter>> outbound_address_policy::resolve_filter() const {
    address_filter::options filter{.allow_loopback = options_.allow_loopback, .blocked = {}};
    for (const auto& target : options_.blocked ? options_.blocked() : std::vector<endpoint>()) {
        const resolver::query query{.host = target.host, .port = target.port};
        const auto resolved = co_await resolver::resolve(query);
        if (!resolved && resolved.error().code() == errc::cancelled)
            co_return fail(resolved.error());
        if (!resolved) continue;  // users cannot reach an unresolvable name, either
        for (const auto& address : *resolved)
            filter.blocked.emplace(normalize(address.address()), target.port);
    }
    co_return std::make_shared<const address_filter>(std::move(filter));
}

}  // namespace muster::net
