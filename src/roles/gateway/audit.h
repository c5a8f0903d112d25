#pragma once

#include "ports/clock.h"
#include "roles/cluster/engines.h"

#include <string>

namespace muster::gateway {

// Something that was tried, for the audit trail.
struct deed {
    std::string who;      // "admin"
    std::string what;     // "login"
    std::string origin;   // the address it came from
    std::string outcome;  // "done", "refused"
    std::string detail;   // why, when refused
};

// Records in the ledger, then rings on the bus under muster.audit.WHAT. A deed that cannot be
// recorded must not be answered as done.
class audit_trail {
public:
    audit_trail(cluster::engines where, clock& time, runtime::logger& log)
        : where_(where), time_(time), log_(log) {}

    async<void> record(deed done);

private:
    cluster::engines where_;
    clock& time_;
    runtime::logger& log_;
};

}  // namespace muster::gateway
