#pragma once

#include "base/function_ref.h"
#include "core/fleet/system_set.h"

namespace muster::jobs {

// Whether a user with rights in some zones may see a job. All of its systems must be visible, and
// at least one: a part of a job reveals the rest. Systems that left the fleet are ignored.
//
// `visible`: the targets that the user may see.
bool is_visible(
    const fleet::system_set& targets,
    const fleet::system_set& visible,
    function_ref<bool(system_number)> in_fleet);

}  // namespace muster::jobs
