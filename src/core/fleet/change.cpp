#include "core/fleet/change.h"

namespace muster::fleet {

bool must_leave_node(const change& change) {
    if (!change.before || change.before->stage != enrolment::accepted) return false;
    const auto& [before, after] = change;
    return after.stage != enrolment::accepted || after.zone != before->zone
           || after.number != before->number || after.unregistered != before->unregistered;
}

}  // namespace muster::fleet
