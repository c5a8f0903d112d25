#pragma once

#include "adapters/net/endpoint.h"
#include "ports/async.h"

#include <boost/asio/ip/tcp.hpp>

namespace muster::net {

// Requests a connection to `target` from the SOCKS5 proxy (RFC 1928, without a password) behind
// `socket`. Afterwards the socket is connected to the target. The proxy resolves names. The socket
// must outlive the call. Has no timeout: use within().
async<void> connect_through_proxy(boost::asio::ip::tcp::socket& socket, endpoint target);

}  // namespace muster::net
