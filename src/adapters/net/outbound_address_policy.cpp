#include "adapters/net/outbound_address_policy.h"

#include "adapters/resolver/resolver.h"

#include <algorithm>
#include <utility>

namespace muster::net {
namespace {

namespace ip = boost::asio::ip;

// 169.254.0.0/16 and its like of the other family.
bool is_link_local(const ip::address& address) {
    if (address.is_v6()) return address.to_v6().is_link_local();
    constexpr unsigned mask = 0xffff0000U;
    constexpr unsigned network = 0xa9fe0000U;
    return (address.to_v4().to_uint() & mask) == network;
}

}  // namespace

ip::address one_spelling(ip::address of) {
    if (of.is_v6() && of.to_v6().is_v4_mapped())
        of = ip::make_address_v4(ip::v4_mapped, of.to_v6());
    if (of.is_loopback() || of.is_unspecified()) return ip::address_v4::loopback();
    return of;
}

bool address_filter::admits(const ip::tcp::endpoint& to) const {
    const auto address = one_spelling(to.address());
    if (address.is_multicast() || is_link_local(address)) return false;
    if (address.is_loopback() && !options_.loopback) return false;
    return !options_.closed.contains({address, to.port()});
}

async<std::shared_ptr<const address_filter>> outbound_address_policy::open() const {
    address_filter::options filter{.loopback = options_.loopback, .closed = {}};
    for (const auto& each : options_.closed ? options_.closed() : std::vector<endpoint>()) {
        const resolver::question question{.host = each.host, .port = each.port};
        const auto there = co_await resolver::resolve(question);
        if (!there && there.error().code() == errc::cancelled) co_return fail(there.error());
        if (!there) continue;  // nobody can be led there by a name, either
        for (const auto& address : *there)
            filter.closed.emplace(one_spelling(address.address()), each.port);
    }
    co_return std::make_shared<const address_filter>(std::move(filter));
}

}  // namespace muster::net
