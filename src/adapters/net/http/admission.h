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

enum class admission_refused { in_all, per_address };

// Counts connections, in all and by client address, and refuses those over the limit. IPv6 clients
// count by /64, because one machine has all addresses of such a network. Addresses that stand for
// many clients count in all only. Thread-safe.
class admission {
public:
    // One admitted connection; gives its place back at its end, or earlier. Of one thread.
    class place {
    public:
        place(place&& other) noexcept
            : of_(std::exchange(other.of_, nullptr)), address_(other.address_) {}
        place(const place&) = delete;
        place& operator=(const place&) = delete;
        place& operator=(place&&) = delete;
        ~place() { release_memory(); }

        // Before the connection's end: it is counted, and limited, elsewhere from now on.
        void release_memory() {
            if (auto* of = std::exchange(of_, nullptr)) of->leave(address_);
        }

    private:
        friend class admission;
        place(admission& of, const address_bytes& address) : of_(&of), address_(address) {}

        admission* of_;
        address_bytes address_;
    };

    // `proxies` stand for many clients.
    admission(const limits& allowed, std::vector<network> proxies)
        : in_all_max_(allowed.connections_max),
          per_address_max_(allowed.connections_per_address_max),
          proxies_(std::move(proxies)) {}

    std::expected<place, admission_refused> enter(const boost::asio::ip::address& client);
    std::size_t size() const;

private:
    void leave(const address_bytes& counted_as);

    std::size_t in_all_max_;
    std::size_t per_address_max_;
    std::vector<network> proxies_;
    mutable std::mutex guard_;
    std::size_t in_all_ = 0;
    std::map<address_bytes, std::size_t> by_address_;
};

}  // namespace muster::net::http
