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

// Whether somebody's address may be called: asked for each address that a name stands for, after it
// was looked up and before the connection, so that no name can mean something else in between.
class address_filter {
public:
    struct options {
        bool loopback = false;
        std::set<std::pair<boost::asio::ip::address, unsigned short>> closed;  // in one_spelling()
    };

    explicit address_filter(options options) : options_(std::move(options)) {}

    bool admits(const boost::asio::ip::tcp::endpoint& to) const;

private:
    options options_;
};

// One address for each way to write it: all of loopback, and "any", are this machine.
boost::asio::ip::address one_spelling(boost::asio::ip::address of);

// Which addresses a server calls because somebody told it to. Never the cluster itself or its
// engines, which may believe whoever comes from there; never what is no place of its own
// (link-local addresses, behind which clouds tell secrets, and multicast); this very machine only
// where its operator allows it. Thread-safe.
class outbound_address_policy {
public:
    struct options {
        bool loopback = false;
        // Servers and engines as they are now; null: there are none.
        std::function<std::vector<endpoint>()> closed = nullptr;
    };

    explicit outbound_address_policy(options options) : options_(std::move(options)) {}

    // What may be called from now on. Names of what is closed are looked up once.
    async<std::shared_ptr<const address_filter>> open() const;

private:
    options options_;
};

}  // namespace muster::net
