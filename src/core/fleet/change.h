#pragma once

#include "core/model/system.h"

#include <optional>

namespace muster::fleet {

// A change of a system record. An evicted record is reported once, as `after`, and is unknown
// afterwards.
struct change {
    std::optional<system_record> before;
    system_record after;

    friend bool operator==(const change&, const change&) = default;
};

// Whether a system that is attached has to leave its node: it was deleted, unregistered, moved to
// another zone, or is no longer accepted under that number.
bool must_leave_node(const change& change);

}  // namespace muster::fleet
