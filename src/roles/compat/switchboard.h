#pragma once

#include "adapters/xmlrpc/codec.h"
#include "core/model/node.h"
#include "roles/compat/method_book.h"
#include "roles/compat/reception.h"

#include <boost/asio/awaitable.hpp>

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace muster::compat {

using outcome = std::variant<answer, fault>;

// Connects a call with the method it means, once whoever calls was let in. The book and the
// reception must outlive it.
class switchboard {
public:
    switchboard(const method_book& methods, const reception& door)
        : methods_(methods), door_(door) {}

    // `node`: what is asked is asked of the systems of that one only.
    boost::asio::awaitable<outcome> connect(
        xmlrpc::method_call wanted, std::string origin, std::optional<node_number> node = {}) const;

    // Who has this session's key.
    async<gateway::visitor> holder(std::string key, std::string origin) const {
        return door_.admit_holder(std::move(key), std::move(origin));
    }

private:
    const method_book& methods_;
    const reception& door_;
};

}  // namespace muster::compat
