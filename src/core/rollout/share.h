#pragma once

#include "base/time.h"
#include "core/fleet/system_set.h"
#include "core/model/job.h"
#include "core/model/node.h"
#include "core/model/system.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace muster::rollout {

// A task in flight that was started before this node served the system.
struct running_task {
    system_number system;
    std::uint32_t attempt = 1;
    node_id starter;  // the node whose grant the task is charged to
    instant started;
};

// A task that waits for its next attempt.
struct waiting_task {
    system_number system;
    std::uint32_t attempt = 2;  // the next attempt
    instant since{};            // when the last attempt ended
};

// The ledger's state of a job for some systems of this node. A target that is in none of the other
// members is queued.
struct share {
    fleet::system_set targets;
    fleet::system_set completed;
    fleet::system_set failed;
    std::vector<running_task> running;
    std::vector<waiting_task> waiting;
};

// One node's part of a job's cluster-wide limits.
struct allowance {
    std::uint64_t concurrency = 0;   // tasks in flight
    std::uint64_t starts_milli = 0;  // starts per 1000 seconds

    friend bool operator==(const allowance&, const allowance&) = default;
};

// How many of the node's own tasks are in flight on other nodes, as of the slot table of `epoch`.
struct tasks_elsewhere {
    std::int64_t epoch = 0;
    std::uint64_t count = 0;

    friend bool operator==(const tasks_elsewhere&, const tasks_elsewhere&) = default;
};

// What a node reports about its share of a job.
struct share_report {
    std::int64_t epoch = 0;       // of the slot table whose slots are all in these counts
    std::uint64_t startable = 0;  // queued tasks that wait for limits only
    std::uint64_t queued = 0;     // including tasks that wait for another attempt
    std::uint64_t running = 0;    // in flight on this node, started by any node
    std::uint64_t used = 0;       // concurrency of its allowance in use
    // The epoch of the last slots that left with tasks of this node, or of its start. The node
    // needs a count of its tasks on other nodes as of this epoch. Zero: none needed.
    std::int64_t unsettled_epoch = 0;
    std::uint64_t completed = 0;
    std::uint64_t failed = 0;
    std::uint64_t canaries_completed = 0;
    std::map<node_id, std::uint64_t> charged;  // in flight on this node, by starter

    friend bool operator==(const share_report&, const share_report&) = default;
};

}  // namespace muster::rollout
