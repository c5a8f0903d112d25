#include "apps/muster/server/port_check.h"

#include "adapters/net/listen.h"

#include <boost/asio/io_context.hpp>

namespace muster::server {

result<void> check_ports_available(const std::vector<net::endpoint>& endpoints) {
    boost::asio::io_context loop;
    std::vector<boost::asio::ip::tcp::acceptor>
        acceptors;  // all at once: two endpoints may conflict
    for (const auto& endpoint : endpoints) {
        TRY(auto acceptor, net::listen_at(loop.get_executor(), endpoint, 1));
        acceptors.push_back(std::move(acceptor));
    }
    return {};
}

}  // namespace muster::server
