#pragma once

#include "ports/ledger.h"
#include "services/revision/record.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace muster::revision {

// The revisions as the ledger keeps them: what each is, and its sections by their digests, so that
// one that did not change is kept once. Written before the head names them; a row whose revision
// never became the head gives way to the one that does. Thread-safe.
class revision_store {
public:
    static constexpr std::size_t section_bytes_max = std::size_t{8} * 1024 * 1024;

    explicit revision_store(muster::ledger& ledger) : ledger_(ledger) {}

    struct kept {
        revision_record what;
        std::vector<direct_change> entries;
    };

    // `claimed` orders those who write the same number: the last one to have been given the right
    // wins, whenever its writing comes. A section that is larger than the limit is left out: what
    // it held cannot be shown later.
    async<void> write(kept revision, sections content, std::int64_t claimed);

    // Below a number, the newest first.
    async<std::vector<revision_record>> list(std::int64_t below, std::size_t limit);
    async<kept> find(std::int64_t number);  // errc::not_found
    // errc::not_found when it was too large to be kept.
    async<section> content(std::string digest);

private:
    ledger& ledger_;
};

}  // namespace muster::revision
