#include "core/fleet/change.h"

namespace muster::fleet {

bool must_leave_node(const change& seen) {
    if (!seen.before || seen.before->stage != enrolment::accepted) return false;
    const auto& [before, after] = seen;
    return after.stage != enrolment::accepted || after.zone != before->zone
           || after.number != before->number || after.unregistered != before->unregistered;
}

}  // namespace muster::fleet
