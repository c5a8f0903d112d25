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

// Who may do something to whom. People are not in zones, their grants are: whoever changes somebody
// needs the right people.change wherever that one has a grant, and all that these grants allow.
// Thus nobody gives what they do not have, and nobody gets at somebody who has more than they.

// What roles allow, as read from the metastore, and the records of those that are not built in.
struct read_roles {
    access::roles meanings = access::built_in_roles();
    std::map<std::string, kv::entry, std::less<>> entries = {};
};

// The roles that these grants name and that are there.
async<read_roles> roles_named(muster::metastore& metastore, std::vector<access::grant> grants);

// errc::invalid for too many or double ones, errc::not_found for a role or a zone that is not
// there.
result<void> check_grants(
    const std::vector<access::grant>& grants,
    const access::roles& meanings,
    const access::zone_parents& zones);

// errc::denied unless the actor may change somebody who has these grants.
result<void> check_may_manage(
    const identity& actor, const std::vector<access::grant>& grants, const access::roles& meanings);

// The same of a user as they are now. Somebody who is gone has no grants.
async<void> check_manages_user(muster::metastore& metastore, identity actor, std::string user);

// Whether something is the actor's own affair, such as a session of theirs. Somebody who came with
// a token is trusted with that token only: it may have been lost.
struct affair {
    std::string user;
    std::string id;
};
bool is_own(const identity& actor, const affair& affair);

// For whoever gives grants: their roles must be as they were read, and none can be removed at the
// same time, because it is written again.
void hold_roles(
    kv::transaction& change, const std::vector<access::grant>& grants, const read_roles& roles);

}  // namespace muster::people
