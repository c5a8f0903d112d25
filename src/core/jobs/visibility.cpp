#include "core/jobs/visibility.h"

namespace muster::jobs {

bool is_visible(
    const fleet::system_set& targets,
    const fleet::system_set& in_reach,
    function_ref<bool(system_number)> in_fleet) {
    if (!targets.intersects(in_reach)) return false;
    bool elsewhere = false;
    (targets - in_reach).for_each([&](system_number system_number) {
        if (!elsewhere && in_fleet(system_number)) elsewhere = true;
    });
    return !elsewhere;
}

}  // namespace muster::jobs
