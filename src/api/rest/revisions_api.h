#pragma once

#include "api/operations/registry.h"
#include "services/revision/common_view.h"
#include "services/revision/revision_ledger.h"

#include <chrono>
#include <string>

namespace muster::api {

// The published revisions of common data, what differs between two, and which server holds which.
class revisions_api {
public:
    struct surroundings {
        revision::revision_ledger& kept;
        const revision::common_cell& known;
        clock& time;
        std::chrono::seconds grace;
    };

    explicit revisions_api(surroundings around) : around_(around) {}

    result<void> declare(registry& to);

    // How a server stands to the newest revision, in a word.
    std::string standing_of(const std::string& server, bool there) const;

private:
    async<reply> list(call asked);
    async<reply> show(call asked);
    async<reply> diff(call asked);
    async<reply> nodes(call asked);

    async<revision::sections> content_of(revision::revision_record of);

    surroundings around_;
};

}  // namespace muster::api
