#pragma once

#include "ports/clock.h"
#include "ports/ledger.h"
#include "services/cluster/bus_publisher.h"

#include <cstdint>
#include <optional>
#include <string>

namespace muster::people {

// Something that was tried, for the audit trail.
struct audit_entry {
    std::string who;                          // "admin"
    std::string what;                         // "login"
    std::string origin;                       // the address it came from
    std::string outcome;                      // "done", "refused"
    std::string detail;                       // why, when refused
    std::optional<std::int64_t> system = {};  // the number of the one system it is about
};

// Records in the ledger, then has the bus rung under muster.audit.WHAT, which nobody waits for. A
// deed that cannot be recorded must not be answered as done.
class audit_trail {
public:
    audit_trail(muster::ledger& ledger, cluster::bus_publisher& bus, muster::clock& clock)
        : ledger_(ledger), bus_(bus), clock_(clock) {}

    async<void> record(audit_entry done);

private:
    ledger& ledger_;
    cluster::bus_publisher& bus_;
    muster::clock& clock_;
};

}  // namespace muster::people
