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

// The whole state of a store as plain data, for whoever keeps it somewhere. Deadlines of leases are
// not part of it: they start anew when it is restored, since a lease must never end early.
struct snapshot {
    revision at = {};
    lease_id last_lease = {};  // the youngest ever granted; ids are not used twice
    std::vector<entry> entries = {};
    std::vector<lease_record> leases = {};

    // Nothing is known of what happened before `oldest`; without history it is after `at`.
    revision oldest = revision(1);
    std::vector<change> history = {};

    friend bool operator==(const snapshot&, const snapshot&) = default;
};

}  // namespace muster::kv
