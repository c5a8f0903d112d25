#pragma once

#include "services/people/authenticator.h"
#include "services/people/credential_check.h"
#include "services/people/people_snapshot.h"
#include "services/people/role_service.h"
#include "services/people/session_service.h"
#include "services/people/token_service.h"
#include "services/people/user_service.h"

#include <functional>
#include <string>
#include <utility>

namespace muster::people {

// All that is done for people: who asks, and what admins and they themselves do with users, roles,
// tokens and sessions. Lists come from `known`, a moment behind; changes are made on the records as
// they are. Thread-safe.
struct people_services {
    // References are always given: there is nothing that a constructor could leave out.
    struct dependencies {  // NOLINT(cppcoreguidelines-pro-type-member-init)
        metastore& store;
        const people_cache& known;
        const cluster::topology_cache& places;
        clock& time;
        audit_trail& audit;
    };
    struct options {
        credential_check::options checks = {};
        authenticator::options sessions = {};
        credential_check::outside_check outside = {};  // for users of PAM; none: they stay out
        std::function<void(const std::string& user)> password_changed = [](const auto&) {
        };
    };

    people_services(dependencies deps, options options)
        : known(deps.known),
          checks(deps.store, deps.time, options.checks, std::move(options.outside)),
          entrance(
              {.store = deps.store,
               .known = deps.known,
               .places = deps.places,
               .time = deps.time,
               .audit = deps.audit,
               .checks = checks},
              options.sessions),
          users(
              {.store = deps.store,
               .known = deps.known,
               .time = deps.time,
               .checks = checks,
               .password_changed = std::move(options.password_changed)}),
          roles(deps.store, deps.known),
          tokens(deps.store, deps.known, deps.time),
          sessions(deps.store, deps.known) {}

    const people_cache& known;
    credential_check checks;
    authenticator entrance;
    user_service users;
    role_service roles;
    token_service tokens;
    session_service sessions;
};

}  // namespace muster::people
