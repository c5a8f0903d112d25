#pragma once

#include "ports/clock.h"
#include "ports/metastore.h"
#include "services/revision/edit_lock.h"
#include "services/revision/revision_store.h"
#include "services/revision/source.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace muster::revision {

// The newest revision, as it is on record.
async<std::optional<revision_record>> read_head(metastore* metastore);

// Makes revisions of what is on record. A revision is in the ledger before the head names it, and
// the head moves in one transaction with whatever ends what it is made of. Thread-safe.
class revision_publisher {
public:
    struct dependencies {
        muster::metastore& metastore;
        revision_store& revisions;
        const sources& from;
        muster::clock& clock;
    };
    struct wanted {
        std::string kind;
        std::string by = {};
        std::string note = {};
        std::string draft = {};
        std::vector<direct_change> entries = {};
        // Together with the head, on these conditions besides the claim.
        std::vector<kv::condition> when = {};
        std::vector<kv::operation> also = {};
    };

    explicit revision_publisher(dependencies deps) : deps_(std::move(deps)) {}

    async<sections> recorded() const { return recorded_in(&deps_.from); }

    async<std::optional<revision_record>> head() const { return read_head(&deps_.metastore); }

    // Publishes what is on record, if it differs from the newest revision; otherwise only what else
    // is wanted is written. The newest revision then. errc::unavailable: the claim is lost, or a
    // condition does not hold, and nothing is published.
    async<revision_record> publish(edit_lock::claim as, wanted how);

private:
    dependencies deps_;
};

}  // namespace muster::revision
