#pragma once

#include "base/time.h"
#include "core/model/node.h"
#include "core/model/slot.h"
#include "core/placement/slot_table.h"

#include <array>
#include <memory>

namespace muster::placement {

// For which slots of its zone a node may act now.
//
// Tables reach the nodes at different times. A node relies on its table for no longer than
// `handover` after it was the newest one (the node's lease guard sees to that), so whoever is given
// a slot waits as long before it acts: by then the former owner has seen the new table or is
// fenced. A slot that was nobody's is acted for at once: no plan takes a slot back to nobody.
//
// Pure; lives on one strand.
class slot_ownership_guard {
public:
    slot_ownership_guard(node_number own, monotonic::duration handover)
        : own_(own), handover_(handover) {}

    // The newest table, seen now.
    void see(std::shared_ptr<const slot_table> table, instant now);

    bool owns(slot slot) const;  // by the table alone
    bool may_act(slot slot, instant now) const;

private:
    bool needs_handover(slot slot, const slot_table& next) const;

    node_number own_;
    monotonic::duration handover_;
    std::shared_ptr<const slot_table> table_;
    std::array<instant, slot::count> act_from_{};  // of own slots
};

}  // namespace muster::placement
