#pragma once

#include "base/time.h"
#include "core/model/node.h"
#include "core/model/slot.h"
#include "core/placement/slot_table.h"

#include <array>
#include <memory>

namespace muster::placement {

// Says for which slots of its zone a node may act now.
//
// Slot tables reach the nodes at different times. A node uses a table for at most `handover` after
// it was the newest one; its lease guard enforces that. So the new owner of a slot waits this long:
// then the former owner has read the new table or is fenced. A slot without a former owner needs
// no wait, because no plan removes the owner of a slot.
//
// Pure; not thread-safe.
class slot_ownership_guard {
public:
    slot_ownership_guard(node_number own, monotonic::duration handover)
        : own_(own), handover_(handover) {}

    // The newest table, received now.
    void update(std::shared_ptr<const slot_table> table, instant now);

    bool owns(slot slot) const;  // by the table, ignoring the handover
    bool may_act(slot slot, instant now) const;

private:
    bool needs_handover(slot slot, const slot_table& next) const;

    node_number own_;
    monotonic::duration handover_;
    std::shared_ptr<const slot_table> table_;
    std::array<instant, slot::count> act_from_{};  // for own slots
};

}  // namespace muster::placement
