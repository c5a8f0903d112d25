#pragma once

#include "adapters/xmlrpc/codec.h"
#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/calls/session_key_authenticator.h"
#include "core/model/node.h"

#include <boost/asio/awaitable.hpp>

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace muster::xmlrpc_api {

using outcome = std::variant<method_response, fault>;

struct call_options {
    std::optional<node_number> node = {};  // limits the call to the systems of this node
    std::string edit = {};                 // edit session of a change
};

// Authenticates a call and runs the method it names. The registry and the authenticator must
// outlive it.
class method_dispatcher {
public:
    method_dispatcher(
        const method_registry& methods, const session_key_authenticator& authenticator)
        : methods_(methods), authenticator_(authenticator) {}

    boost::asio::awaitable<outcome> dispatch(
        xmlrpc::method_call method_call, std::string origin, call_options options = {}) const;

    // Returns the user of this session key.
    async<api::caller> authenticate(std::string key, std::string origin) const {
        return authenticator_.authenticate(std::move(key), std::move(origin));
    }

private:
    const method_registry& methods_;
    const session_key_authenticator& authenticator_;
};

}  // namespace muster::xmlrpc_api
