#pragma once

#include "services/people/authenticator.h"
#include "services/people/credential_check.h"
#include "services/people/password_listener.h"
#include "services/people/people_snapshot.h"
#include "services/people/role_service.h"
#include "services/people/session_service.h"
#include "services/people/token_service.h"
#include "services/people/user_service.h"

#include <string>
#include <utility>

namespace muster::people {

// Authentication, and the services for users, roles, tokens and sessions. Lists come from the cache
// `known`, which may lag; changes work on the stored records. Thread-safe.
struct people_services {
    // All references are required, so a constructor could not leave one out.
    struct dependencies {  // NOLINT(cppcoreguidelines-pro-type-member-init)
        muster::metastore& metastore;
        const people_cache& people;
        const cluster::topology_cache& topology;
        muster::clock& clock;
        audit_trail& audit;
    };
    struct options {
        credential_check::options checks = {};
        authenticator::options sessions = {};
        credential_check::external_check external_check =
            {};  // for PAM users; none: they cannot log in
        password_listener* listener = nullptr;
    };

    people_services(dependencies deps, options options)
        : cache(deps.people),
          checks(deps.metastore, deps.clock, options.checks, std::move(options.external_check)),
          authentication(
              {.metastore = deps.metastore,
               .people = deps.people,
               .topology = deps.topology,
               .clock = deps.clock,
               .audit = deps.audit,
               .checks = checks},
              options.sessions),
          users(
              {.metastore = deps.metastore,
               .people = deps.people,
               .clock = deps.clock,
               .checks = checks,
               .listener = options.listener}),
          roles(deps.metastore, deps.people),
          tokens(deps.metastore, deps.people, deps.clock),
          sessions(deps.metastore, deps.people) {}

    const people_cache& cache;
    credential_check checks;
    authenticator authentication;
    user_service users;
    role_service roles;
    token_service tokens;
    session_service sessions;
};

}  // namespace muster::people
