#include "adapters/net/http/admission.h"

#include "adapters/net/address_limit_key.h"
#include "base/assert.h"

namespace muster::net::http {

std::expected<admission::permit, admission_error> admission::admit(
    const boost::asio::ip::address& client) {
    const auto key = limit_key(client);
    const bool shared = is_shared_address(proxies_, client);
    const std::lock_guard lock(mutex_);
    if (total_ >= total_max_) return std::unexpected(admission_error::total);
    std::size_t& address_count = by_address_[key];
    if (!shared && address_count >= per_address_max_)
        return std::unexpected(admission_error::per_address);
    ++address_count;
    ++total_;
    return permit(*this, key);
}

std::size_t admission::size() const {
    const std::lock_guard lock(mutex_);
    return total_;
}

void admission::release(const address_bytes& key) {
    const std::lock_guard lock(mutex_);
    const auto it = by_address_.find(key);
    MUSTER_ASSERT(it != by_address_.end());
    if (--it->second == 0) by_address_.erase(it);
    --total_;
}

}  // namespace muster::net::http
