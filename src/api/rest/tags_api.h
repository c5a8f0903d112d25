#pragma once

#include "api/operations/registry.h"
#include "services/fleet/search.h"

namespace muster::api {

// Lists the tags of accepted systems. A tag exists while a system has it; `systems.label` and
// `keys.accept` add and remove tags. Thread-safe.
class tags_api {
public:
    explicit tags_api(const fleet::search& search) : search_(search) {}

    result<void> declare(registry& operations);

private:
    async<reply> list(call call);

    const fleet::search& search_;
};

}  // namespace muster::api
