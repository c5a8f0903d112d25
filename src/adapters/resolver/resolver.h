#pragma once

#include "ports/async.h"

#include <boost/asio/ip/tcp.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace muster::resolver {

using addresses = std::vector<boost::asio::ip::tcp::endpoint>;

struct query {
    std::string host;  // a DNS name, or an IP address in text
    std::uint16_t port = 0;
    std::string servers = {};  // "10.0.0.1:53,10.0.0.2"; empty: those of resolv.conf
};

// Returns the addresses of both families in the order they should be tried; never empty. Reads
// /etc/hosts first, then asks the servers of resolv.conf. Both files are read for each query, so
// that network changes take effect.
//
// Runs c-ares on the caller's event loop: it blocks no thread, can be cancelled, and static
// programs do not need the C library's resolver. Ends after attempts × servers × attempt_time.
//
// errc::unavailable if there is no response or no address.
async<addresses> resolve(query query);

inline constexpr std::chrono::milliseconds attempt_time{2000};
inline constexpr int attempts = 2;

}  // namespace muster::resolver
