#pragma once

#include "core/access/right.h"
#include "core/kv/entry.h"
#include "core/kv/transaction.h"
#include "ports/metastore.h"
#include "services/people/identity.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace muster::people {

// Rules on who may change whom. Users have no zone, but their grants do. To change a user, the
// actor needs people.change wherever that user has a grant, and all rights of these grants.
//
// So nobody can give rights they do not have, or change a user who has more rights.

// The rights of roles, as read from the metastore, and the records of the custom roles.
struct granted_roles {
    access::roles role_rights = access::built_in_roles();
    std::map<std::string, kv::entry, std::less<>> entries = {};
};

// Reads the existing roles of these grants.
async<granted_roles> read_granted_roles(
    muster::metastore& metastore, std::vector<access::grant> grants);

// errc::invalid for too many or duplicate grants, errc::not_found for an unknown role or zone.
result<void> check_grants(
    const std::vector<access::grant>& grants,
    const access::roles& role_rights,
    const access::zone_parents& zones);

// errc::denied unless the actor may change a user with these grants.
result<void> check_may_manage(
    const identity& actor,
    const std::vector<access::grant>& grants,
    const access::roles& role_rights);

// Checks the stored user; a missing user has no grants.
async<void> check_may_manage_user(muster::metastore& metastore, identity actor, std::string user);

// Whether a session or token belongs to the actor. A caller with a token may only manage that
// token, because it may have been lost.
struct owned_credential {
    std::string user;
    std::string id;
};
bool is_own_credential(const identity& actor, const owned_credential& credential);

// Makes a change that grants roles fail when one of them changed. Writing the roles again prevents
// their concurrent removal.
void lock_roles(
    kv::transaction& change, const std::vector<access::grant>& grants, const granted_roles& roles);

}  // namespace muster::people
