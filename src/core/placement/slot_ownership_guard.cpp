#include "core/placement/slot_ownership_guard.h"

#include <utility>

namespace muster::placement {

void slot_ownership_guard::see(std::shared_ptr<const slot_table> table, instant now) {
    if (table_ && table->current() <= table_->current()) return;
    for (std::size_t number = 0; number < slot::count; ++number) {
        const slot which(number);
        const ownership& next = table->at(which);
        if (next.owner != own_) continue;
        if (table_ && table_->at(which) == next) continue;  // it was ours and still is
        act_from_[number] = needs_handover(which, *table) ? now + handover_ : now;
    }
    table_ = std::move(table);
}

// Only the table right before this one tells who had the slot last.
bool slot_ownership_guard::needs_handover(slot slot, const slot_table& next) const {
    if (!table_) return next.current() != epoch(1);
    const bool right_before = table_->current().next() == next.current();
    return !right_before || table_->at(slot).owner != node_number();
}

bool slot_ownership_guard::owns(slot slot) const {
    return table_ && table_->at(slot).owner == own_;
}

bool slot_ownership_guard::may_act(slot slot, instant now) const {
    return owns(slot) && now >= act_from_[slot.number()];
}

}  // namespace muster::placement
