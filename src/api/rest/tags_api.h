#pragma once

#include "api/operations/registry.h"
#include "services/fleet/search.h"

namespace muster::api {

// The tags that accepted systems have. A tag is there as long as a system has it: it is given and
// taken with `systems.label` and `keys.accept`.
class tags_api {
public:
    explicit tags_api(const fleet::search& search) : search_(search) {}

    result<void> declare(registry& to);

private:
    async<reply> list(call call);

    const fleet::search& search_;
};

}  // namespace muster::api
