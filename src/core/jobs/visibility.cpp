#include "core/jobs/visibility.h"

namespace muster::jobs {

bool is_visible(
    const fleet::system_set& targets,
    const fleet::system_set& visible,
    function_ref<bool(system_number)> in_fleet) {
    if (!targets.intersects(visible)) return false;
    bool has_hidden = false;
    (targets - visible).for_each([&](system_number system) {
        if (!has_hidden && in_fleet(system)) has_hidden = true;
    });
    return !has_hidden;
}

}  // namespace muster::jobs
