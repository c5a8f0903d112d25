#pragma once

#include "core/access/right.h"

#include <memory>
#include <string>

namespace muster::people {

// Who asks, and what they may do.
struct identity {
    enum class door { none, session, token };

    std::string user = {};  // empty: nobody has logged in
    // Narrowed to what the token allows. Nothing at all while the password has to be changed first.
    access::permissions may = {};
    door how = door::none;
    std::string id = {};       // of the session or the token
    std::string digest = {};   // of its secret
    bool must_change = false;  // only the change of the own password is allowed
    std::string csrf = {};     // what changes that come with a session's cookie have to bring along
    // The tree of zones by which `may` was narrowed.
    std::shared_ptr<const access::zone_parents> zones =
        std::make_shared<const access::zone_parents>();
};

}  // namespace muster::people
