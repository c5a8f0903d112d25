#pragma once

#include "adapters/net/endpoint.h"
#include "base/result.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ip/tcp.hpp>

namespace muster::net {

// Opens an acceptor on an IP address; port 0: any free port. The error names an address that is in
// use or not local.
result<boost::asio::ip::tcp::acceptor> listen_at(
    const boost::asio::any_io_executor& executor, const endpoint& address, int backlog);

}  // namespace muster::net
