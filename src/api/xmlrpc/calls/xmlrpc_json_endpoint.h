#pragma once

#include "adapters/net/http/router.h"
#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/calls/session_key_authenticator.h"

#include <string>
#include <string_view>

namespace muster::xmlrpc_api {

// Serves the methods as JSON at /rhn/manager/api/NAMESPACE/METHOD. Arguments go by name in the
// query of a GET or the body of a POST. Logging in sets a session cookie. A fault has status 200
// and says so in its body. The dependencies must outlive the routes.
class xmlrpc_json_endpoint {
public:
    xmlrpc_json_endpoint(
        const method_registry& methods, const session_key_authenticator& authenticator)
        : methods_(methods), authenticator_(authenticator) {}

    result<void> add_routes(net::http::router& router);

private:
    struct resolved_call {
        const method* overload = nullptr;
        api::value arguments;
    };

    async<net::http::response> respond(net::http::request request);
    async<net::http::response> handle_call(net::http::request request);
    // errc::not_found when there is no such method, errc::invalid when none takes this.
    result<resolved_call> choose(const net::http::request& request, const std::string& body) const;
    struct request_origin {
        std::string key;
        std::string origin;
        std::string edit;  // the editing session that a change belongs to
    };
    async<net::http::response> perform(resolved_call resolved_call, request_origin origin);

    const method_registry& methods_;
    const session_key_authenticator& authenticator_;
};

}  // namespace muster::xmlrpc_api
