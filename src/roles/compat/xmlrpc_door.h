#pragma once

#include "adapters/net/http/router.h"
#include "adapters/xmlrpc/codec.h"
#include "roles/compat/method_book.h"
#include "roles/compat/reception.h"

#include <boost/asio/awaitable.hpp>

#include <string>
#include <variant>

namespace muster::compat {

// POST /rpc/api: the methods of the book over XML-RPC. Everything is answered with 200, also a
// fault. A short answer goes out in one write; a long list is streamed, and needs no more memory
// the longer it is. The book and the reception must outlive the routes.
class xmlrpc_door {
public:
    static constexpr std::size_t call_bytes_max = 4 * std::size_t{1024} * 1024;

    xmlrpc_door(const method_book& methods, const reception& door)
        : methods_(methods), door_(door) {}

    result<void> add_routes(net::http::router& to);

private:
    using outcome = std::variant<answer, fault>;

    async<net::http::response> respond(net::http::request asked);
    boost::asio::awaitable<outcome> perform(xmlrpc::method_call wanted, std::string origin);

    const method_book& methods_;
    const reception& door_;
};

}  // namespace muster::compat
