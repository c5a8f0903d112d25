#pragma once

#include "core/model/node.h"
#include "core/model/slot.h"
#include "core/placement/slot_table.h"

#include <array>
#include <cstdint>
#include <vector>

namespace muster::placement {

// The weight of each slot: its systems times the measured cost per system. Empty slots have weight
// zero and are spread by number, so that future systems are spread too.
using weights = std::array<std::uint64_t, slot::count>;

// How a node takes part in placement.
enum class member_state {
    serving,  // has slots and can get more
    away,     // planned shutdown: keeps its slots and gets none (recovery mode)
    leaving,  // drained: loses all its slots
};

struct member {
    node_number node;
    member_state state = member_state::serving;
    std::uint64_t capacity = 1;           // measured; relative to the other nodes
    std::uint64_t load_max = UINT64_MAX;  // hard limit of weight; no plan exceeds it
};

struct plan_options {
    std::uint32_t tolerance_per_mille =
        50;  // no moves while all nodes are this near to their share
    std::size_t rebalance_moves_max =
        slot::count;  // caps rebalancing, separately for inhabited and empty slots
};

struct plan {
    std::vector<move> moves;
    std::vector<slot> unplaced;  // no node can take them: all are full, or none serves
};

// Moves as few slots as needed to keep every node near its share (its part of the total capacity).
// Slots without a member as owner are placed first; the cap does not apply to them.
//
// Pure and deterministic: the same table, members and weights give the same plan.
plan build_plan(
    const slot_table& table,
    const std::vector<member>& members,
    const weights& weights,
    const plan_options& options);

}  // namespace muster::placement
