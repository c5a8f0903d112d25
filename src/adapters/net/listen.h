#pragma once

#include "adapters/net/endpoint.h"
#include "base/result.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ip/tcp.hpp>

namespace muster::net {

// An acceptor on an IP address; port 0 takes any free one. An address in use or not ours is an
// error that says which.
result<boost::asio::ip::tcp::acceptor> listen_at(
    const boost::asio::any_io_executor& executor, const endpoint& where, int backlog);

}  // namespace muster::net
