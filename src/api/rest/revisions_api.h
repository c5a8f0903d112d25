#pragma once

#include "api/operations/registry.h"
#include "api/rest/revision_content_reader.h"
#include "services/revision/edit_state_snapshot.h"
#include "services/revision/revision_store.h"

#include <chrono>
#include <string>

namespace muster::api {

// Published revisions of common data, their differences, and the revision of each server.
// Thread-safe.
class revisions_api {
public:
    struct dependencies {
        revision::revision_store& revisions;
        const revision::edit_state_cache& edit_state;
        muster::clock& clock;
        std::chrono::seconds grace;
    };

    explicit revisions_api(dependencies deps) : deps_(deps), content_(deps.revisions, deps.clock) {}

    result<void> declare(registry& operations);

    // How the data of a server compares with the newest revision: "current", "behind", "drifted" …
    std::string drift_state(const std::string& server, bool is_online) const;

private:
    async<reply> list(call call);
    async<reply> show(call call);
    async<reply> diff(call call);
    async<reply> nodes(call call);

    dependencies deps_;
    revision_content_reader content_;
};

}  // namespace muster::api
