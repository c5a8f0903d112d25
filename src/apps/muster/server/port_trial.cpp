#include "apps/muster/server/port_trial.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

namespace muster::server {
namespace {

using boost::asio::ip::tcp;

result<tcp::acceptor> listen_at(boost::asio::io_context& loop, const net::endpoint& where) {
    boost::system::error_code failed;
    const auto address = boost::asio::ip::make_address(where.host, failed);
    if (failed) return fail(errc::invalid, to_string(where) + ": listen on an IP address");
    const tcp::endpoint at(address, where.port);
    tcp::acceptor acceptor(loop);
    acceptor.open(at.protocol(), failed);
    if (!failed) acceptor.set_option(tcp::acceptor::reuse_address(true), failed);
    if (!failed) acceptor.bind(at, failed);
    if (!failed) acceptor.listen(1, failed);
    if (failed)
        return fail(
            errc::unavailable, "listening on " + to_string(where) + ": " + failed.message());
    return acceptor;
}

}  // namespace

result<void> try_listening(const std::vector<net::endpoint>& places) {
    boost::asio::io_context loop;
    std::vector<tcp::acceptor> open;  // all at once: two of ours may be in each other's way
    for (const auto& each : places) {
        TRY(auto one, listen_at(loop, each));
        open.push_back(std::move(one));
    }
    return {};
}

}  // namespace muster::server
