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

// Reads the newest revision.
async<std::optional<revision_record>> read_head(metastore* metastore);

// Publishes the recorded common data as a revision. Writes the revision to the ledger first. Then
// moves the head in one transaction with the caller's operations. Thread-safe.
class revision_publisher {
public:
    struct dependencies {
        muster::metastore& metastore;
        revision_store& revisions;
        const sources& common_data;
        muster::clock& clock;
    };
    struct publish_request {
        std::string kind;
        std::string by = {};
        std::string note = {};
        std::string draft = {};
        std::vector<direct_change> entries = {};
        // Added to the transaction that moves the head.
        std::vector<kv::condition> conditions = {};
        std::vector<kv::operation> operations = {};
    };

    explicit revision_publisher(dependencies deps) : deps_(std::move(deps)) {}

    async<sections> read_sections() const { return revision::read_sections(&deps_.common_data); }

    async<std::optional<revision_record>> head() const { return read_head(&deps_.metastore); }

    // Publishes the recorded data if it differs from the newest revision; otherwise only executes
    // the operations. Returns the newest revision. errc::unavailable: the claim is lost or a
    // condition fails; nothing is written then.
    async<revision_record> publish(edit_lock::claim claim, publish_request request);

private:
    dependencies deps_;
};

}  // namespace muster::revision
