#include "core/placement/slot_ownership_guard.h"

#include <utility>

namespace muster::placement {

void slot_ownership_guard::update(std::shared_ptr<const slot_table> table, instant now) {
    if (table_ && table->current_epoch() <= table_->current_epoch()) return;
    for (std::size_t number = 0; number < slot::count; ++number) {
        const slot current(number);
        const ownership& next = table->at(current);
        if (next.owner != own_) continue;
        if (table_ && table_->at(current) == next) continue;  // unchanged
        act_from_[number] = needs_handover(current, *table) ? now + handover_ : now;
    }
    table_ = std::move(table);
}

// Only the directly preceding table shows the last owner.
bool slot_ownership_guard::needs_handover(slot slot, const slot_table& next) const {
    if (!table_) return next.current_epoch() != epoch(1);
    const bool is_previous = table_->current_epoch().next() == next.current_epoch();
    return !is_previous || table_->at(slot).owner != node_number();
}

bool slot_ownership_guard::owns(slot slot) const {
    return table_ && table_->at(slot).owner == own_;
}

bool slot_ownership_guard::may_act(slot slot, instant now) const {
    return owns(slot) && now >= act_from_[slot.number()];
}

}  // namespace muster::placement
