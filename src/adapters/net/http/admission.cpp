#include "adapters/net/http/admission.h"

#include "base/assert.h"

#include <algorithm>

namespace muster::net::http {
namespace {

namespace ip = boost::asio::ip;

ip::address counted_as(const ip::address& client) {
    if (!client.is_v6()) return client;
    const auto v6 = client.to_v6();
    if (v6.is_v4_mapped()) return ip::make_address_v4(ip::v4_mapped, v6);
    auto bytes = v6.to_bytes();
    constexpr std::ptrdiff_t network_bytes = 8;
    std::fill(bytes.begin() + network_bytes, bytes.end(), 0);
    return ip::address_v6(bytes);
}

}  // namespace

std::expected<admission::place, admission_refused> admission::enter(const ip::address& client) {
    const ip::address key = counted_as(client);
    const bool many = stands_for_many_ && stands_for_many_(client);
    const std::lock_guard lock(guard_);
    if (in_all_ >= in_all_max_) return std::unexpected(admission_refused::in_all);
    std::size_t& here = by_address_[key];
    if (!many && here >= per_address_max_) return std::unexpected(admission_refused::per_address);
    ++here;
    ++in_all_;
    return place(*this, key);
}

std::size_t admission::size() const {
    const std::lock_guard lock(guard_);
    return in_all_;
}

void admission::leave(const ip::address& counted_as) {
    const std::lock_guard lock(guard_);
    const auto it = by_address_.find(counted_as);
    MUSTER_ASSERT(it != by_address_.end());
    if (--it->second == 0) by_address_.erase(it);
    --in_all_;
}

}  // namespace muster::net::http
