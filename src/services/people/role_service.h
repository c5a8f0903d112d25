#pragma once

#include "ports/metastore.h"
#include "services/people/identity.h"
#include "services/people/people_snapshot.h"

#include <optional>
#include <string>

namespace muster::people {

// Creates, changes and removes custom roles. A role applies to every zone, so the actor needs
// people.change and all old and new rights of the role in the whole cluster. Built-in roles cannot
// be changed. Thread-safe.
class role_service {
public:
    struct changes {  // missing values stay unchanged
        std::optional<access::rights> rights = {};
        std::optional<std::string> about = {};
        // Applied to the stored rights, so concurrent changes are kept.
        access::rights added = {};
        access::rights removed = {};
    };

    role_service(muster::metastore& metastore, const people_cache& people)
        : metastore_(metastore), people_(people) {}

    async<role_record> add(identity actor, role_record role);
    async<role_record> change(identity actor, std::string name, changes changes);
    // errc::conflict while a user or a token has it.
    async<void> remove(identity actor, std::string name);

private:
    struct found_role {
        role_record record;
        kv::entry entry;
    };

    // Nothing: the role changed concurrently.
    async<std::optional<role_record>> try_change(identity actor, std::string name, changes changes);
    async<found_role> find(std::string name);
    async<void> check_unused(std::string name);

    metastore& metastore_;
    const people_cache& people_;
};

}  // namespace muster::people
