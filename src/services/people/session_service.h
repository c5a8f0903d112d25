#pragma once

#include "ports/metastore.h"
#include "services/people/identity.h"
#include "services/people/people_snapshot.h"

#include <optional>
#include <string>
#include <vector>

namespace muster::people {

// Who is logged in from where. Thread-safe.
class session_service {
public:
    struct listed {
        std::string id;
        session_record record;
    };

    session_service(muster::metastore& metastore, const people_cache& people_cache)
        : metastore_(metastore), people_(people_cache) {}

    // As this server knows them, without those of an older era; of one user, or all.
    std::vector<listed> list(const std::optional<std::string>& user) const;

    // One's own, or one of somebody whom the actor may change. At once, on every server.
    async<void> end(identity actor, std::string id);

private:
    metastore& metastore_;
    const people_cache& people_;
};

}  // namespace muster::people
