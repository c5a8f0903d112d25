#pragma once

#include "core/model/system.h"
#include "sim/simulation.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace muster::sim {

// Invariants of system records, checked from outside the simulation.
class onboarding_invariants {
public:
    explicit onboarding_invariants(sim::simulation& simulation) : simulation_(simulation) {}

    // A row of the ledger, in the order of its sequence.
    void check_row(const system_record& row);

    // What a server has acknowledged.
    void accepted(const fingerprint& print);
    void deleted(const fingerprint& print);
    bool is_deleted(const fingerprint& print) const { return deleted_.contains(print); }

    // The rows as they stand in the end.
    void check_end(const std::map<fingerprint, system_record>& rows);

    std::size_t numbers_given() const { return holder_.size(); }
    std::size_t deletions() const { return deleted_.size(); }

private:
    void violated(const fingerprint& print, const std::string& text);

    sim::simulation& simulation_;
    std::map<fingerprint, system_record> last_;
    std::map<system_number, fingerprint> holder_;
    std::set<fingerprint> accepted_;
    std::set<fingerprint> deleted_;
};

}  // namespace muster::sim
