#pragma once

#include "ports/async.h"

#include <boost/asio/ip/tcp.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace muster::resolver {

using addresses = std::vector<boost::asio::ip::tcp::endpoint>;

struct question {
    std::string host;  // a DNS name, or an IP address in text
    std::uint16_t port = 0;
    std::string servers = {};  // "10.0.0.1:53,10.0.0.2"; empty: those of resolv.conf
};

// The addresses of both families in the order they should be tried; never empty. Asks /etc/hosts
// first, then the servers of resolv.conf, both read anew each time, so that a machine whose network
// changes is followed.
//
// By c-ares on the caller's event loop: no thread is blocked, a cancelled wait ends at once, and a
// static program needs nothing of the C library's own resolver. Gives up by itself after
// attempts × servers × attempt_time.
//
// errc::unavailable when there is no answer or no address.
async<addresses> resolve(question question);

inline constexpr std::chrono::milliseconds attempt_time{2000};
inline constexpr int attempts = 2;

}  // namespace muster::resolver
