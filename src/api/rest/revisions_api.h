#pragma once

#include "api/operations/registry.h"
#include "services/revision/edit_state_snapshot.h"
#include "services/revision/revision_store.h"

#include <chrono>
#include <string>

namespace muster::api {

// The published revisions of common data, what differs between two, and which server holds which.
class revisions_api {
public:
    struct dependencies {
        revision::revision_store& revisions;
        const revision::edit_state_cache& edit_state;
        muster::clock& clock;
        std::chrono::seconds grace;
    };

    explicit revisions_api(dependencies deps) : deps_(deps) {}

    result<void> declare(registry& to);

    // How a server stands to the newest revision, in a word.
    std::string standing_of(const std::string& server, bool there) const;

private:
    async<reply> list(call call);
    async<reply> show(call call);
    async<reply> diff(call call);
    async<reply> nodes(call call);

    async<revision::sections> content_of(revision::revision_record of);

    dependencies deps_;
};

}  // namespace muster::api
