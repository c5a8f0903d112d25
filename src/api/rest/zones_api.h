#pragma once

#include "api/operations/registry.h"
#include "services/cluster/zone_service.h"
#include "services/fleet/system_cache.h"
#include "services/presence/presence_cache.h"

#include <cstddef>
#include <map>
#include <string>

namespace muster::api {

// /api/v1/zones: zones with their statistics, and changes of zones. Reads come from memory.
// Thread-safe.
class zones_api {
public:
    struct dependencies {
        muster::clock& clock;
        const fleet::system_cache& systems;
        const presence::presence_cache& presence;
    };

    explicit zones_api(dependencies deps) : deps_(deps) {}

    result<void> declare(registry& operations);

private:
    async<reply> list(call call);
    async<reply> add(call call);
    async<reply> show(call call);
    async<reply> change(call call);
    async<reply> remove(call call);
    async<reply> stats(call call);
    async<std::size_t> count_accepted(muster::ledger& ledger, std::string zone);

    // Systems of a zone by state name.
    std::map<std::string, std::size_t> systems_by_state(const std::string& zone) const;

    dependencies deps_;
};

}  // namespace muster::api
