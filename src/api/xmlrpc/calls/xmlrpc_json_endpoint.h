#pragma once

#include "adapters/net/http/router.h"
#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/calls/session_key_authenticator.h"

#include <string>
#include <string_view>

namespace muster::xmlrpc_api {

// /rhn/manager/api/NAMESPACE/METHOD: the methods of the book with JSON. Arguments go by their
// names, in the query of a GET or the body of a POST; the session is in a cookie that logging in
// sets. A fault is an answer with status 200 that says so. The book and the reception must outlive
// the routes.
class xmlrpc_json_endpoint {
public:
    xmlrpc_json_endpoint(const method_registry& methods, const session_key_authenticator& door)
        : methods_(methods), door_(door) {}

    result<void> add_routes(net::http::router& to);

private:
    struct meant {
        const method* which = nullptr;
        api::value arguments;
    };

    async<net::http::response> respond(net::http::request request);
    async<net::http::response> answer_to(net::http::request request);
    // errc::not_found when there is no such method, errc::invalid when none takes this.
    result<meant> choose(const net::http::request& request, const std::string& body) const;
    struct sender {
        std::string key;
        std::string origin;
        std::string edit;  // the editing session that a change belongs to
    };
    async<net::http::response> perform(meant meant, sender from);

    const method_registry& methods_;
    const session_key_authenticator& door_;
};

}  // namespace muster::xmlrpc_api
