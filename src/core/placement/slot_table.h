#pragma once

#include "base/result.h"
#include "core/model/node.h"
#include "core/model/slot.h"
#include "core/placement/epoch.h"

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace muster::placement {

// The owner of a slot and the epoch of its assignment. Zero: no owner. Writes for a slot carry
// `since`, so that writes of an earlier owner are refused.
struct ownership {
    node_number owner;
    epoch since;

    friend bool operator==(const ownership&, const ownership&) = default;
};

struct move {
    slot moved_slot{0};
    node_number from;  // zero: no owner
    node_number to;

    friend bool operator==(const move&, const move&) = default;
};

// The owner of each slot of one zone.
class slot_table {
public:
    slot_table() = default;
    // An empty table that continues the epochs of a removed zone of the same name.
    explicit slot_table(epoch last) : current_(last) {}

    epoch current_epoch() const { return current_; }
    const ownership& at(slot slot) const { return slots_[slot.number()]; }
    std::map<node_number, std::vector<slot>> by_owner() const;  // slots without owner under zero

    // The table after the moves, at the next epoch. errc::conflict if a move starts from another
    // owner: then the plan was built for another table.
    result<slot_table> apply_moves(const std::vector<move>& moves) const;

    // A few tens of KiB, independent of the number of systems. Below 62 KiB for a thousand nodes,
    // if every slot moved within the last million plans. decode() is strict.
    std::string encode() const;
    static result<slot_table> decode(std::string_view bytes);

    friend bool operator==(const slot_table&, const slot_table&) = default;

private:
    epoch current_;
    std::array<ownership, slot::count> slots_{};
};

}  // namespace muster::placement
