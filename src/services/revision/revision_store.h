#pragma once

#include "ports/ledger.h"
#include "services/revision/record.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace muster::revision {

// Reads and writes revisions in the ledger. Sections are stored by digest, so an unchanged section
// is stored once. Rows are written before the head names them. A row that never became the head is
// replaced by the one that does. Thread-safe.
class revision_store {
public:
    static constexpr std::size_t section_bytes_max = std::size_t{8} * 1024 * 1024;

    explicit revision_store(muster::ledger& ledger) : ledger_(ledger) {}

    struct stored_revision {
        revision_record record;
        std::vector<direct_change> entries;
    };

    // `claimed` is the revision of the writer's claim: of two writers of one number the later claim
    // wins. Skips sections above the size limit; they cannot be shown later.
    async<void> write(stored_revision revision, sections content, std::int64_t claimed);

    // Lists revisions below a number, newest first.
    async<std::vector<revision_record>> list(std::int64_t below, std::size_t limit);
    async<stored_revision> find(std::int64_t number);  // errc::not_found
    // errc::not_found when it was too large to be kept.
    async<section> content(std::string digest);

private:
    ledger& ledger_;
};

}  // namespace muster::revision
