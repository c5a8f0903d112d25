#include "apps/muster/server/port_check.h"

#include "adapters/net/listen.h"

#include <boost/asio/io_context.hpp>

namespace muster::server {

result<void> check_ports_available(const std::vector<net::endpoint>& places) {
    boost::asio::io_context loop;
    std::vector<boost::asio::ip::tcp::acceptor>
        open;  // all at once: two may be in each other's way
    for (const auto& place : places) {
        TRY(auto one, net::listen_at(loop.get_executor(), place, 1));
        open.push_back(std::move(one));
    }
    return {};
}

}  // namespace muster::server
