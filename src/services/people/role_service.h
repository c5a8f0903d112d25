#pragma once

#include "ports/metastore.h"
#include "services/people/identity.h"
#include "services/people/people_snapshot.h"

#include <optional>
#include <string>

namespace muster::people {

// What is done with roles that are not built in. A role means the same in every zone, so whoever
// makes or changes one needs people.change, and every right it has or had, in the whole cluster.
// The built-in ones stay as they are. Thread-safe.
class role_service {
public:
    struct changes {  // what is not given stays as it is
        std::optional<access::rights> rights = {};
        std::optional<std::string> about = {};
        // Of the rights as they are when it is written: nobody else's change is lost by it.
        access::rights given = {};
        access::rights taken = {};
    };

    role_service(muster::metastore& metastore, const people_cache& people_cache)
        : metastore_(metastore), people_(people_cache) {}

    async<role_record> add(identity actor, role_record role);
    async<role_record> change(identity actor, std::string name, changes changes);
    // errc::conflict while a user or a token has it.
    async<void> remove(identity actor, std::string name);

private:
    struct found_role {
        role_record record;
        kv::entry entry;
    };

    // Nothing: somebody else was faster.
    async<std::optional<role_record>> try_change(identity actor, std::string name, changes changes);
    async<found_role> find(std::string name);
    async<void> check_unused(std::string name);

    metastore& metastore_;
    const people_cache& people_;
};

}  // namespace muster::people
