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

// Who serves a slot, and since when. An owner of zero is nobody. Writes for a slot carry `since`:
// whoever owned it before has an older one and is refused.
struct ownership {
    node_number owner;
    epoch since;

    friend bool operator==(const ownership&, const ownership&) = default;
};

struct move {
    slot what{0};
    node_number from;  // zero: nobody had it
    node_number to;

    friend bool operator==(const move&, const move&) = default;
};

// Which node serves which slot of one zone.
class slot_table {
public:
    slot_table() = default;
    // Nobody's slots after the epochs of a zone of the same name that is gone: epochs never repeat.
    explicit slot_table(epoch last) : current_(last) {}

    epoch current() const { return current_; }
    const ownership& at(slot slot) const { return slots_[slot.number()]; }
    std::map<node_number, std::vector<slot>> by_owner() const;  // nobody's slots under zero

    // All moves at one new epoch. A move that does not start where the table stands is a conflict:
    // the plan was made for another table, and nothing of it is done.
    result<slot_table> after(const std::vector<move>& moves) const;

    // A few tens of KiB, whatever the number of systems; below 62 KiB for a thousand nodes while
    // every slot has moved within the last million plans (decode is strict).
    std::string encode() const;
    static result<slot_table> decode(std::string_view bytes);

    friend bool operator==(const slot_table&, const slot_table&) = default;

private:
    epoch current_;
    std::array<ownership, slot::count> slots_{};
};

}  // namespace muster::placement
