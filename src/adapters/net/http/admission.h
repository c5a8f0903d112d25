#pragma once

#include "adapters/net/http/limits.h"
#include "core/model/network.h"

#include <boost/asio/ip/address.hpp>

#include <cstddef>
#include <expected>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace muster::net::http {

enum class admission_error { total, per_address };

// Limits connections in total and per client address. IPv6 clients count per /64 network, because
// one machine owns all addresses of its network. Shared addresses count in total only. Thread-safe.
class admission {
public:
    // Counts one admitted connection until release() or destruction. Not thread-safe.
    class permit {
    public:
        permit(permit&& other) noexcept
            : owner_(std::exchange(other.owner_, nullptr)), address_(other.address_) {}
        permit(const permit&) = delete;
        permit& operator=(const permit&) = delete;
        permit& operator=(permit&&) = delete;
        ~permit() { release(); }

        // Releases early: the connection is counted and limited elsewhere from now on.
        void release() {
            if (auto* owner = std::exchange(owner_, nullptr)) owner->release(address_);
        }

    private:
        friend class admission;
        permit(admission& owner, const address_bytes& address)
            : owner_(&owner), address_(address) {}

        admission* owner_;
        address_bytes address_;
    };

    // `proxies` are addresses shared by many clients.
    admission(const http::limits& limits, std::vector<network> proxies)
        : total_max_(limits.connections_max),
          per_address_max_(limits.connections_per_address_max),
          proxies_(std::move(proxies)) {}

    std::expected<permit, admission_error> admit(const boost::asio::ip::address& client);
    std::size_t size() const;

private:
    void release(const address_bytes& key);

    std::size_t total_max_;
    std::size_t per_address_max_;
    std::vector<network> proxies_;
    mutable std::mutex mutex_;
    std::size_t total_ = 0;
    std::map<address_bytes, std::size_t> by_address_;
};

}  // namespace muster::net::http
