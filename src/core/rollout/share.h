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

// A task that somebody started before this node was responsible for its system.
struct running_task {
    system_number system;
    std::uint32_t attempt = 1;
    node_id starter;  // the node whose limit it is charged to
    instant started;
};

// A task that waits for a further attempt.
struct waiting_task {
    system_number system;
    std::uint32_t attempt = 2;  // the one to come
    instant since{};            // when the last one ended
};

// What the ledger has of a job for some systems of this node. What is in none of the parts is
// queued.
struct share {
    fleet::system_set targets;
    fleet::system_set completed;
    fleet::system_set failed;
    std::vector<running_task> running;
    std::vector<waiting_task> waiting;
};

// What one node may use of a job's cluster-wide limits.
struct allowance {
    std::uint64_t places = 0;        // tasks at once
    std::uint64_t starts_milli = 0;  // thousandths of a start a second

    friend bool operator==(const allowance&, const allowance&) = default;
};

// So many tasks that the node started are in flight on others, as of that slot table.
struct settlement {
    std::int64_t epoch = 0;
    std::uint64_t elsewhere = 0;

    friend bool operator==(const settlement&, const settlement&) = default;
};

// What a node tells of its share of a job.
struct share_report {
    std::int64_t epoch = 0;       // of the slot table whose every gained slot is in these counts
    std::uint64_t startable = 0;  // queued, and nothing but limits keeps them from starting
    std::uint64_t queued = 0;     // including those that wait for another attempt
    std::uint64_t running = 0;    // in flight on this node, whoever started them
    std::uint64_t used = 0;       // places of its allowance in use
    // The epoch of the last slots that left with tasks this node started, or of its own start: it
    // wants to know what is in flight elsewhere. Zero: it knows.
    std::int64_t unsettled = 0;
    std::uint64_t completed = 0;
    std::uint64_t failed = 0;
    std::uint64_t canaries_completed = 0;
    std::map<node_id, std::uint64_t> charged;  // in flight on this node, by who started them

    friend bool operator==(const share_report&, const share_report&) = default;
};

}  // namespace muster::rollout
