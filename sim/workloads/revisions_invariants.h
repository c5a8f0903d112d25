#pragma once

#include "services/revision/record.h"
#include "sim/world.h"

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

// A revision as it is on record at the end.
struct kept_revision {
    revision::revision_record what;
    std::vector<revision::direct_change> entries;
    std::map<std::string, std::string, std::less<>> groups;  // their values
};

// What must hold for the editing of common data whatever happens, seen from outside of the world.
class revisions_invariants {
public:
    explicit revisions_invariants(world& where) : where_(where) {}

    // A server was elected.
    void elected(std::int64_t term);
    // Something written as the leader of a term: when it was begun, and that it is acknowledged.
    std::int64_t newest_term() const { return newest_term_; }
    void written(std::int64_t term, std::int64_t newest_when_begun);

    void drafted(const std::string& change) { drafted_.insert(change); }
    // What may be gone from the draft, because somebody asks for that: one change, or all there
    // are.
    std::set<std::string> may_be_dropped(const std::set<std::string>& changes);
    std::set<std::string> draft_may_be_discarded() { return may_be_dropped(drafted_); }
    // It was refused after all.
    void are_kept(const std::set<std::string>& changes);
    // A change without a session whose end nobody knows, or whose revision may tell nothing of it.
    void in_doubt(const std::string& change) { loose_.insert(named_value::parse(change).value); }

    // The newest revision, as somebody read it.
    void see_head(const revision::revision_record& head);

    // In the end: all revisions, and what is still in the draft.
    void check_end(
        const std::vector<kept_revision>& all, const std::set<std::string>& still_drafted);

    std::size_t changes_drafted() const { return drafted_.size(); }
    std::int64_t revisions() const { return newest_revision_; }

private:
    void violated(const std::string& text) { where_.violated("revisions: " + text); }
    void check_content(const kept_revision& before, const kept_revision& next);
    void check_nothing_returns(const std::vector<kept_revision>& all);

    world& where_;
    std::set<std::int64_t> terms_;
    std::int64_t newest_term_ = 0;
    std::int64_t newest_revision_ = 0;
    std::map<std::int64_t, std::string> seen_;  // digests of revisions that were the head
    std::set<std::string> drafted_;             // acknowledged
    std::set<std::string> excused_;
    std::set<std::string> loose_;
};

}  // namespace muster::sim
