#include "adapters/net/listen.h"

namespace muster::net {

using boost::asio::ip::tcp;

result<tcp::acceptor> listen_at(
    const boost::asio::any_io_executor& executor, const endpoint& where, int backlog) {
    boost::system::error_code failed;
    const auto address = boost::asio::ip::make_address(where.host, failed);
    if (failed) return fail(errc::invalid, to_string(where) + ": listen on an IP address");
    const tcp::endpoint at(address, where.port);
    tcp::acceptor acceptor(executor);
    acceptor.open(at.protocol(), failed);
    if (!failed) acceptor.set_option(tcp::acceptor::reuse_address(true), failed);
    if (!failed) acceptor.bind(at, failed);
    if (!failed) acceptor.listen(backlog, failed);
    if (failed)
        return fail(
            errc::unavailable, "listening on " + to_string(where) + ": " + failed.message());
    return acceptor;
}

}  // namespace muster::net
