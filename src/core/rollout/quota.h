#pragma once

#include "core/model/node.h"
#include "core/rollout/grant.h"
#include "core/rollout/share.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

// The coordinator's side of cluster-wide limits: splits them among nodes. Pure.
namespace muster::rollout {

// What the coordinator knows about one node and one job.
struct node_view {
    node_id node;
    std::optional<grant> record;
    std::optional<share_report> report;
    bool owns_slots = true;
    std::int64_t epoch = 0;  // of the slot table of its zone, by the coordinator's copy
    // The last epoch in which its slots changed; equal to `epoch` if that is unknown.
    std::int64_t slots_changed = 0;
    // Permanently fenced: the node owns no slot, and the ledger refuses its starts.
    bool gone = false;
};

struct cluster_limits {
    std::optional<std::uint64_t> concurrency;
    std::optional<std::uint64_t> starts_milli;
};

// Replaces a record, provided that it has not changed (or is still absent) since it was read.
struct grant_change {
    node_id node;
    grant updated;
    friend bool operator==(const grant_change&, const grant_change&) = default;
};

// Whether the reports cover each slot: every owner's report is at least as new as its slots. Then
// each task in flight is counted by its owner; a task that is counted twice has just moved.
bool is_complete(const std::vector<node_view>& nodes);

// How many tasks of `starter` are in flight on other nodes. Requires is_complete(nodes).
std::uint64_t in_flight_elsewhere(const node_id& starter, const std::vector<node_view>& nodes);

// The part of a node's report that plan_grants() depends on. It rarely changes while a large job
// runs, so it is not written again for every task.
share_report summarize(share_report report, const node_id& node, const cluster_limits& limits);

// The next step towards a fair split: at most `changes_max` records; empty when nothing is left to
// do. `nodes` are all nodes that own slots of the job's zones, and all that have a record. The
// caller writes the changes in one transaction that also compares and changes the job's plan key.
std::vector<grant_change> plan_grants(
    const cluster_limits& limits, const std::vector<node_view>& nodes, std::size_t changes_max);

// Splits `total` fairly: no part exceeds its demand, and all parts below their demand are equal,
// give or take one. The remainder goes to those that have most already.
struct demand {
    std::uint64_t amount = 0;
    std::uint64_t current = 0;
};
std::vector<std::uint64_t> split(std::uint64_t total, const std::vector<demand>& demands);

}  // namespace muster::rollout
