#pragma once

#include "ports/clock.h"
#include "ports/ledger.h"
#include "services/cluster/bus_publisher.h"

#include <cstdint>
#include <optional>
#include <string>

namespace muster::people {

// One entry of the audit trail: an attempted action.
struct audit_entry {
    std::string who;                          // "admin"
    std::string what;                         // "login"
    std::string origin;                       // address of the caller
    std::string outcome;                      // "done", "refused"
    std::string detail;                       // reason of a refusal
    std::optional<std::int64_t> system = {};  // number of the system, if exactly one is concerned
};

// Writes audit entries to the ledger, then publishes muster.audit.WHAT on the bus without waiting.
// An action whose entry cannot be written must not be reported as done. Thread-safe.
class audit_trail {
public:
    audit_trail(muster::ledger& ledger, cluster::bus_publisher& bus, muster::clock& clock)
        : ledger_(ledger), bus_(bus), clock_(clock) {}

    async<void> record(audit_entry entry);

private:
    ledger& ledger_;
    cluster::bus_publisher& bus_;
    muster::clock& clock_;
};

}  // namespace muster::people
