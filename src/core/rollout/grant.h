#pragma once

#include "core/rollout/share.h"

#include <cstdint>
#include <optional>
#include <string>

namespace muster::rollout {

// One node's part of a job's cluster-wide limits: a small record in the metastore, a key a job and
// node, changed by compare-and-set only (docs/rollout.md has the argument).
//
// The ceilings of all nodes together never exceed the job's limits. Only the coordinator raises a
// ceiling, only its node lowers it: a node therefore never holds less than the record charges it
// with, however old its knowledge is.
struct grant {
    allowance goal;     // what the coordinator wants it to come down to; never above the ceiling
    allowance ceiling;  // what it may use, and is charged with
    // Tasks it started that are in flight on other nodes, true for the slot table of that epoch.
    std::uint64_t elsewhere = 0;
    std::int64_t epoch = 0;
    // Which start of the node's process uses it. Taking it over changes the record, so that
    // whatever an earlier process of the node still had under way comes to nothing.
    std::string holder;

    friend bool operator==(const grant&, const grant&) = default;
};

// The node's side of its grant. The caller feeds in what it reads of the record, writes what wish()
// returns by compare-and-set upon the revision it was given, and lets the engine use usable().
class grant_holder {
public:
    // `process`: differs with every start. `epoch`: of the slot table it began with; what left with
    // slots before that it cannot know, and waits until the record says.
    grant_holder(std::string process, std::int64_t epoch)
        : process_(std::move(process)), began_(epoch) {}

    // The record at that revision. Older ones than it has seen are ignored.
    void observe(grant grant, std::int64_t revision);

    struct write {
        grant to;
        std::int64_t revision = 0;  // commit only if the record is still that of this revision
        friend bool operator==(const write&, const write&) = default;
    };
    // What to write, if anything: it takes the record over, or gives back what it does not need.
    // It may come through late: under this revision the node starts nothing beyond its goal, so it
    // never uses more than it offered to keep.
    std::optional<write> wish(std::uint64_t places_used) const;

    // What may be used now; nothing before it holds the record and knows what is charged to it.
    allowance usable() const;
    // What the record says of its tasks on other nodes. Goes to the engine with usable().
    settlement settled() const;
    // The epoch as of which the coordinator should say what is in flight elsewhere.
    std::int64_t began() const { return began_; }

private:
    // Whether it holds the record and knows all that is charged to it.
    bool settled_in() const { return seen_ && seen_->holder == process_ && seen_->epoch >= began_; }

    std::string process_;
    std::int64_t began_;
    std::optional<grant> seen_;
    std::int64_t revision_ = 0;
};

}  // namespace muster::rollout
