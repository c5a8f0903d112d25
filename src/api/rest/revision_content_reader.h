#pragma once

#include "ports/clock.h"
#include "services/revision/revision_store.h"

#include <cstdint>

namespace muster::api {

// Reads the content of published revisions. Thread-safe.
class revision_content_reader {
public:
    revision_content_reader(revision::revision_store& revisions, muster::clock& clock)
        : revisions_(revisions), clock_(clock) {}

    // Without sections that are too large to be stored.
    async<revision::sections> read(revision::revision_record record) const;

    struct change {
        revision::sections before;
        revision::sections after;
    };
    // The content of two revisions. A base of zero is empty.
    async<change> read_change(std::int64_t base, std::int64_t target) const;

private:
    revision::revision_store& revisions_;
    muster::clock& clock_;
};

}  // namespace muster::api
