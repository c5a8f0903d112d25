#pragma once

#include "core/rollout/share.h"

#include <cstdint>
#include <optional>
#include <string>

namespace muster::rollout {

// One node's part of a job's cluster-wide limits. The metastore has one record for each job and
// node; it is changed by compare-and-set only (docs/internals/rollout_limits.md explains why that
// is safe).
//
// The ceilings of all nodes together never exceed the job's limits. Only the coordinator raises a
// ceiling and only the node lowers it. So a node never holds less than the record charges to it,
// even if the node has an old copy.
struct grant {
    allowance goal;     // the coordinator's target for the node; never above the ceiling
    allowance ceiling;  // what is charged to the node
    // Tasks that the node started and that are in flight on other nodes, as of `epoch`.
    std::uint64_t elsewhere = 0;
    std::int64_t epoch = 0;
    // The process of the node that uses the grant. A new process writes its own name first, so
    // pending writes of the earlier process fail.
    std::string holder;

    friend bool operator==(const grant&, const grant&) = default;
};

// The node's side of its grant. The caller passes each record it reads to observe(), writes the
// result of next_write() by compare-and-set, and passes usable() to the task scheduler. Pure.
class grant_holder {
public:
    // `process` differs with every start of the node. `epoch` is that of the slot table at the
    // start. The node cannot know which tasks left with slots earlier, so it waits for the record.
    grant_holder(std::string process, std::int64_t epoch)
        : process_(std::move(process)), start_epoch_(epoch) {}

    // Ignores records that are older than the current one.
    void observe(grant record, std::int64_t revision);

    struct write {
        grant record;
        std::int64_t revision = 0;  // write only if the record still has this revision
        friend bool operator==(const write&, const write&) = default;
    };
    // The next write, if any: takes the record over, or returns the concurrency that the node does
    // not need. A late write is safe, because the node starts nothing beyond its goal meanwhile.
    std::optional<write> next_write(std::uint64_t concurrency_used) const;

    // What the node may use now; nothing until is_settled().
    allowance usable() const;
    // The node's tasks on other nodes, by the record. Goes to the scheduler with usable().
    tasks_elsewhere elsewhere() const;
    // The epoch as of which the coordinator must count the node's tasks on other nodes.
    std::int64_t start_epoch() const { return start_epoch_; }

private:
    // Whether this process holds the record and knows everything charged to the node.
    bool is_settled() const {
        return record_ && record_->holder == process_ && record_->epoch >= start_epoch_;
    }

    std::string process_;
    std::int64_t start_epoch_;
    std::optional<grant> record_;
    std::int64_t revision_ = 0;
};

}  // namespace muster::rollout
