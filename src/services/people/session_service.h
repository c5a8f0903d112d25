#pragma once

#include "ports/metastore.h"
#include "services/people/identity.h"
#include "services/people/people_snapshot.h"

#include <optional>
#include <string>
#include <vector>

namespace muster::people {

// Lists and ends sessions. Thread-safe.
class session_service {
public:
    struct listed {
        std::string id;
        session_record record;
    };

    session_service(muster::metastore& metastore, const people_cache& people)
        : metastore_(metastore), people_(people) {}

    // The cached valid sessions, of one user or of all.
    std::vector<listed> list(const std::optional<std::string>& user) const;

    // Ends an own session, or one of a user whom the actor may change; at once, on every server.
    async<void> end(identity actor, std::string id);

private:
    metastore& metastore_;
    const people_cache& people_;
};

}  // namespace muster::people
