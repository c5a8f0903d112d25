#pragma once

#include "adapters/xmlrpc/codec.h"
#include "core/model/node.h"
#include "api/xmlrpc/calls/method_book.h"
#include "api/xmlrpc/calls/reception.h"

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
class switchboard {
public:
    switchboard(const method_book& methods, const reception& door)
        : methods_(methods), door_(door) {}

    boost::asio::awaitable<outcome> connect(
        xmlrpc::method_call wanted, std::string origin, call_terms under = {}) const;

    // Who has this session's key.
    async<api::visitor> holder(std::string key, std::string origin) const {
        return door_.admit_holder(std::move(key), std::move(origin));
    }

private:
    const method_book& methods_;
    const reception& door_;
};

}  // namespace muster::xmlrpc_api
