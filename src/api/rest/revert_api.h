#pragma once

#include "api/operations/registry.h"
#include "api/rest/revert_change.h"
#include "api/rest/revision_content_reader.h"
#include "services/revision/edit_state_snapshot.h"

#include <boost/json/array.hpp>

#include <string>
#include <vector>

namespace muster::api {

// Undoes a revision: writes the operations that restore its items into the draft of an edit
// session. Thread-safe.
class revert_api {
public:
    struct dependencies {
        revision::revision_store& revisions;
        const revision::edit_state_cache& edit_state;
        muster::clock& clock;
    };

    explicit revert_api(dependencies deps) : deps_(deps), content_(deps.revisions, deps.clock) {}

    result<void> declare(registry& operations);

private:
    async<reply> revert(call call);
    // Performs the operations in the edit session that the call names. Adds each drafted change to
    // `added`, also if a later one fails.
    async<void> restore(
        call request, std::vector<revert_change> changes, boost::json::array* added) const;

    dependencies deps_;
    revision_content_reader content_;
    const registry* operations_ = nullptr;  // set by declare()
};

}  // namespace muster::api
