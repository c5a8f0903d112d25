#include "adapters/net/http/admission.h"

#include "adapters/net/address_limit_key.h"
#include "base/assert.h"

namespace muster::net::http {

std::expected<admission::place, admission_refused> admission::enter(
    const boost::asio::ip::address& client) {
    const auto key = counted_as(client);
    const bool many = stands_for_many(proxies_, client);
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

void admission::leave(const address_bytes& counted_as) {
    const std::lock_guard lock(guard_);
    const auto it = by_address_.find(counted_as);
    MUSTER_ASSERT(it != by_address_.end());
    if (--it->second == 0) by_address_.erase(it);
    --in_all_;
}

}  // namespace muster::net::http
