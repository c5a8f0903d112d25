#pragma once

#include "core/access/right.h"

#include <memory>
#include <string>

namespace muster::people {

// The caller of a request and their rights.
struct identity {
    enum class credential_kind { none, session, token };

    std::string user = {};  // empty: not logged in
    // Narrowed to the rights of the token. Empty while the password has to be changed.
    access::permissions may = {};
    credential_kind credential = credential_kind::none;
    std::string id = {};       // of the session or the token
    std::string digest = {};   // of its secret
    bool must_change = false;  // only a change of the own password is allowed
    std::string csrf = {};     // token that changes with a session cookie must send
    // The tree of zones that `may` was narrowed with.
    std::shared_ptr<const access::zone_parents> zones =
        std::make_shared<const access::zone_parents>();
};

}  // namespace muster::people
