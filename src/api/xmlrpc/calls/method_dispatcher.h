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

using outcome = std::variant<answer, fault>;

struct call_terms {
    std::optional<node_number> node = {};  // what is asked is asked of its systems only
    std::string edit = {};                 // the editing session that a change belongs to
};

// Connects a call with the method it means, once whoever calls was let in. The book and the
// reception must outlive it.
class method_dispatcher {
public:
    method_dispatcher(const method_registry& methods, const session_key_authenticator& door)
        : methods_(methods), door_(door) {}

    boost::asio::awaitable<outcome> connect(
        xmlrpc::method_call method_call, std::string origin, call_terms under = {}) const;

    // Who has this session's key.
    async<api::caller> holder(std::string key, std::string origin) const {
        return door_.admit_holder(std::move(key), std::move(origin));
    }

private:
    const method_registry& methods_;
    const session_key_authenticator& door_;
};

}  // namespace muster::xmlrpc_api
