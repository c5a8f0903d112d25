#pragma once

#include "adapters/net/endpoint.h"
#include "ports/async.h"

#include <boost/asio/ip/tcp.hpp>

namespace muster::net {

// Asks the SOCKS5 proxy (RFC 1928, without a password) at the other end of `through` for a
// connection to `where`; from then on the socket leads there. Names are looked up by the proxy.
// The socket must outlive the call. Give it a deadline: within().
async<void> pass_proxy(boost::asio::ip::tcp::socket& through, endpoint where);

}  // namespace muster::net
