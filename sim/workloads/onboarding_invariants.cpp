#include "sim/workloads/onboarding_invariants.h"

#include <utility>

namespace muster::sim {

void onboarding_invariants::violated(const fingerprint& print, const std::string& text) {
    simulation_.violated("system " + print.str().substr(0, 11) + " " + text);
}

void onboarding_invariants::check_row(const system_record& row) {
    if (row.number) {
        const auto [held, given] = holder_.emplace(row.number, row.print);
        if (!given && held->second != row.print)
            violated(row.print, "has the number of another system");
    }
    const auto before = last_.find(row.print);
    if (before != last_.end()) {
        const auto& old = before->second;
        if (old.stage == enrolment::deleted && row.stage != enrolment::deleted)
            violated(row.print, "is no longer deleted");
        if (old.number && row.number != old.number) violated(row.print, "changed its number");
        if (old.stage == enrolment::accepted && row.stage != enrolment::accepted
            && row.stage != enrolment::deleted)
            violated(row.print, "was accepted but is in the pool again");
        // Only a row that was purged begins anew.
        if (row.version <= old.version && old.stage != enrolment::evicted)
            violated(row.print, "returned to an older version");
    }
    if (row.stage == enrolment::deleted) deleted_.insert(row.print);
    last_.insert_or_assign(row.print, row);
}

void onboarding_invariants::accepted(const fingerprint& print) {
    accepted_.insert(print);
}

void onboarding_invariants::deleted(const fingerprint& print) {
    deleted_.insert(print);
}

void onboarding_invariants::check_end(const std::map<fingerprint, system_record>& rows) {
    std::map<system_number, fingerprint> holders;
    for (const auto& [print, row] : rows) {
        if (row.number && !holders.emplace(row.number, print).second)
            violated(print, "shares its number with another system");
    }
    for (const auto& print : deleted_) {
        const auto row = rows.find(print);
        if (row == rows.end() || row->second.stage != enrolment::deleted)
            violated(print, "was deleted but still exists");
    }
    for (const auto& print : accepted_) {
        const auto row = rows.find(print);
        const bool well = row != rows.end()
                          && (row->second.stage == enrolment::accepted
                              || row->second.stage == enrolment::deleted);
        if (!well) violated(print, "was accepted but is not in the fleet");
    }
}

}  // namespace muster::sim
