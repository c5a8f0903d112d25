#pragma once

#include "core/kv/change.h"
#include "core/kv/entry.h"

#include <chrono>
#include <vector>

namespace muster::kv {

struct lease_record {
    lease_id id = {};
    std::chrono::seconds ttl = {};

    friend bool operator==(const lease_record&, const lease_record&) = default;
};

// The complete state of a store as plain data, for persistence. Lease deadlines are not included:
// they restart on restore, because a lease must never end early.
struct snapshot {
    revision at = {};
    lease_id last_lease = {};  // the newest lease ever granted; ids are not reused
    std::vector<entry> entries = {};
    std::vector<lease_record> leases = {};

    // The history starts at `oldest`; without history `oldest` is after `at`.
    revision oldest = revision(1);
    std::vector<change> history = {};

    friend bool operator==(const snapshot&, const snapshot&) = default;
};

}  // namespace muster::kv
