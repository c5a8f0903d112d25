#pragma once

#include "services/people/credential_check.h"
#include "services/people/gate.h"
#include "services/people/role_book.h"
#include "services/people/roster.h"
#include "services/people/session_book.h"
#include "services/people/token_book.h"
#include "services/people/user_book.h"

#include <functional>
#include <string>
#include <utility>

namespace muster::people {

// All that is done for people: who asks, and what admins and they themselves do with users, roles,
// tokens and sessions. Lists come from `known`, a moment behind; changes are made on the records as
// they are. Thread-safe.
struct people_office {
    // References are always given: there is nothing that a constructor could leave out.
    struct surroundings {  // NOLINT(cppcoreguidelines-pro-type-member-init)
        metastore& store;
        const roster_cell& known;
        const cluster::topology_cell& places;
        clock& time;
        audit_trail& audit;
    };
    struct options {
        credential_check::options checks = {};
        gate::options sessions = {};
        credential_check::outside_check outside = {};  // for users of PAM; none: they stay out
        std::function<void(const std::string& user)> password_changed = [](const auto&) {
        };
    };

    people_office(surroundings around, options how)
        : known(around.known),
          checks(around.store, around.time, how.checks, std::move(how.outside)),
          entrance(
              {.store = around.store,
               .known = around.known,
               .places = around.places,
               .time = around.time,
               .audit = around.audit,
               .checks = checks},
              how.sessions),
          users(
              {.store = around.store,
               .known = around.known,
               .time = around.time,
               .checks = checks,
               .password_changed = std::move(how.password_changed)}),
          roles(around.store, around.known),
          tokens(around.store, around.known, around.time),
          sessions(around.store, around.known) {}

    const roster_cell& known;
    credential_check checks;
    gate entrance;
    user_book users;
    role_book roles;
    token_book tokens;
    session_book sessions;
};

}  // namespace muster::people
