#pragma once

#include "core/model/node.h"
#include "core/model/slot.h"
#include "core/placement/slot_table.h"

#include <array>
#include <cstdint>
#include <vector>

namespace muster::placement {

// What a slot costs its node: population times measured cost per system. Empty slots weigh nothing;
// they are spread by number, so that systems still to come find their share too.
using weights = std::array<std::uint64_t, slot::count>;

// How a node takes part in placement.
enum class member_state {
    serving,  // holds slots and takes more
    away,     // said it goes down and will be back: keeps its slots, takes none (recovery mode)
    leaving,  // is drained: gives all its slots away
};

struct member {
    node_number node;
    member_state stands = member_state::serving;
    std::uint64_t capacity = 1;           // measured; only its ratio to the others' counts
    std::uint64_t load_max = UINT64_MAX;  // hard limit in weight, never exceeded by a plan
};

struct plan_options {
    std::uint32_t tolerance_per_mille = 50;  // nobody moves while all are this near to their share
    std::size_t rebalance_moves_max =
        slot::count;  // caps what only evens out: inhabited, empty slots
};

struct plan {
    std::vector<move> moves;
    std::vector<slot> unplaced;  // no member may take them: all are full, or nobody serves
};

// Moves as few slots as keep every node near its fair share (its part of the summed capacity).
// Slots whose owner is not a member any more are placed first and are never held back by the cap.
//
// Pure and deterministic: the same table, members and weights give the same plan.
plan make_plan(
    const slot_table& table,
    const std::vector<member>& members,
    const weights& cost,
    const plan_options& options);

}  // namespace muster::placement
