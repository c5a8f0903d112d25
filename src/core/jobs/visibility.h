#pragma once

#include "base/function_ref.h"
#include "core/fleet/system_set.h"

namespace muster::jobs {

// Whether a job is seen by somebody who may look in some zones only. They must be able to see all
// of its systems, and one at least: a part of a job tells of the rest. One that has left the fleet
// is nowhere, and hides nothing.
//
// `in_reach`: those of the targets that they may see.
bool is_visible(
    const fleet::system_set& targets,
    const fleet::system_set& in_reach,
    function_ref<bool(system_number)> in_fleet);

}  // namespace muster::jobs
