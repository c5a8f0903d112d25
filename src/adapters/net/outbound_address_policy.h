#pragma once

#include "base/endpoint.h"
#include "ports/async.h"

#include <boost/asio/ip/tcp.hpp>

#include <functional>
#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace muster::net {

// Decides whether an address may be called. It is applied to resolved addresses right before the
// connection, so that DNS cannot change the meaning of a name in between. Immutable.
class address_filter {
public:
    struct options {
        bool allow_loopback = false;
        std::set<std::pair<boost::asio::ip::address, unsigned short>> blocked;  // normalized
    };

    explicit address_filter(options options) : options_(std::move(options)) {}

    bool allows(const boost::asio::ip::tcp::endpoint& target) const;

private:
    options options_;
};

// Maps all spellings of an address to one: loopback and "any" become 127.0.0.1.
boost::asio::ip::address normalize(boost::asio::ip::address address);

// Decides which addresses a server may call on behalf of a user. Blocks the cluster's servers and
// engines, which may trust such callers. Blocks link-local addresses (cloud metadata services) and
// multicast. Allows loopback only if the operator does. Thread-safe.
class outbound_address_policy {
public:
    struct options {
        bool allow_loopback = false;
        // Current servers and engines; null: none.
        std::function<std::vector<endpoint>()> blocked = nullptr;
    };

    explicit outbound_address_policy(options options) : options_(std::move(options)) {}

    // Returns the current filter; resolves the names of blocked endpoints once.
    async<std::shared_ptr<const address_filter>> resolve_filter() const;

private:
    options options_;
};

}  // namespace muster::net
