#pragma once

#include "core/model/node.h"
#include "core/rollout/grant.h"
#include "core/rollout/share.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

// The coordinator's side of cluster-wide limits: how they are split among nodes.
namespace muster::rollout {

// What the coordinator knows of one node, for one job.
struct node_view {
    node_id node;
    std::optional<grant> record;
    std::optional<share_report> report;
    bool owns_slots = true;
    std::int64_t epoch = 0;  // of its zone's slot table, as the coordinator knows it
    // The last epoch in which its slots changed; `epoch` where that is not known.
    std::int64_t changed = 0;
    // Fenced for good: it owns no slot, and the ledger takes no start from it any more.
    bool gone = false;
};

struct cluster_limits {
    std::optional<std::uint64_t> places;
    std::optional<std::uint64_t> starts_milli;
};

// A record that must be as it was read (absent, if it was) when this takes its place.
struct grant_change {
    node_id node;
    grant to;
    friend bool operator==(const grant_change&, const grant_change&) = default;
};

// Whether the reports together tell of each slot: every owner's is at least as new as its slots.
// Then a task in flight is counted by its owner, and one that is counted twice has just moved.
bool complete(const std::vector<node_view>& nodes);

// So many tasks the node started are in flight on others. For complete() views.
std::uint64_t in_flight_elsewhere(const node_id& starter, const std::vector<node_view>& nodes);

// The part of a node's report that plans rest on: as good as the whole, and the same while a large
// job goes its way, so that it need not be written again with every task.
share_report outline(share_report response, const node_id& by, const cluster_limits& limits);

// `nodes` are all that own slots of the zones the job has targets in, and all that have a record.
// The next step towards a fair split: at most `changes_max` records, which must be written in one
// transaction that also requires, and changes, the job's plan key, as it was when the records were
// read. Nothing is left to do when it is empty.
std::vector<grant_change> plan_grants(
    const cluster_limits& limits, const std::vector<node_view>& nodes, std::size_t changes_max);

// A whole number split so that nobody gets more than it wants, and who gets less than it wants gets
// as much as anybody else, give or take one; the odd ones go to those who had most.
struct claim {
    std::uint64_t wanted = 0;
    std::uint64_t had = 0;
};
std::vector<std::uint64_t> split(std::uint64_t total, const std::vector<claim>& claims);

}  // namespace muster::rollout
