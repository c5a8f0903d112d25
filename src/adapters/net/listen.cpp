#include "adapters/net/listen.h"

namespace muster::net {

using boost::asio::ip::tcp;

result<tcp::acceptor> listen_at(
    const boost::asio::any_io_executor& executor, const endpoint& address, int backlog) {
    boost::system::error_code failed;
    const auto ip_address = boost::asio::ip::make_address(address.host, failed);
    if (failed)
        return fail(errc::invalid, to_string(address) + ": listen address must be an IP address");
    const tcp::endpoint local(ip_address, address.port);
    tcp::acceptor acceptor(executor);
    acceptor.open(local.protocol(), failed);
    if (!failed) acceptor.set_option(tcp::acceptor::reuse_address(true), failed);
    if (!failed) acceptor.bind(local, failed);
    if (!failed) acceptor.listen(backlog, failed);
    if (failed)
        return fail(
            errc::unavailable, "listening on " + to_string(address) + ": " + failed.message());
    return acceptor;
}

}  // namespace muster::net
