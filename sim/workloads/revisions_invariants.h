#pragma once

#include "services/revision/record.h"
#include "sim/simulation.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace muster::sim {

// A change of the simulated common data: a group gets a value that no other change gives any group.
struct named_value {
    std::string group;
    std::string value;

    std::string text() const { return group + "=" + value; }
    static named_value parse(const std::string& text);
};

// A revision as stored at the end.
struct stored_revision {
    revision::revision_record record;
    std::vector<revision::direct_change> entries;
    std::map<std::string, std::string, std::less<>> groups;  // their values
};

// Invariants of the editing of common data, checked from outside the simulation.
class revisions_invariants {
public:
    explicit revisions_invariants(sim::simulation& simulation) : simulation_(simulation) {}

    // A server was elected.
    void elected(std::int64_t term);
    // Something written as the leader of a term: when it was begun, and that it is acknowledged.
    std::int64_t newest_term() const { return newest_term_; }
    void written(std::int64_t term, std::int64_t newest_when_begun);

    void drafted(const std::string& change) { drafted_.insert(change); }
    // Changes that may disappear from the draft because a user drops them: one change, or all.
    std::set<std::string> may_be_dropped(const std::set<std::string>& changes);
    std::set<std::string> draft_may_be_discarded() { return may_be_dropped(drafted_); }
    // The drop was refused.
    void are_kept(const std::set<std::string>& changes);
    // A direct change whose outcome is unknown, or whose revision may not name it.
    void in_doubt(const std::string& change) {
        unattributed_.insert(named_value::parse(change).value);
    }

    // The newest revision as a server read it.
    void check_head(const revision::revision_record& head);

    // Final check of all revisions and of the changes still in the draft.
    void check_end(
        const std::vector<stored_revision>& revisions, const std::set<std::string>& still_drafted);

    std::size_t changes_drafted() const { return drafted_.size(); }
    std::int64_t revision_count() const { return newest_revision_; }

private:
    void violated(const std::string& text) { simulation_.violated("revisions: " + text); }
    void check_content(const stored_revision& before, const stored_revision& next);
    void check_nothing_returns(const std::vector<stored_revision>& revisions);

    sim::simulation& simulation_;
    std::set<std::int64_t> terms_;
    std::int64_t newest_term_ = 0;
    std::int64_t newest_revision_ = 0;
    std::map<std::int64_t, std::string> head_digests_;  // digests of revisions that were the head
    std::set<std::string> drafted_;                     // acknowledged
    std::set<std::string> excused_;
    std::set<std::string> unattributed_;
};

}  // namespace muster::sim
