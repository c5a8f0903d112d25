#pragma once

#include "api/operations/registry.h"
#include "services/fleet/group_store.h"

namespace muster::api {

// Saved groups: named expressions that other expressions use as N@name or group:name. Thread-safe.
class groups_api {
public:
    groups_api(fleet::group_store& groups, muster::clock& clock) : groups_(groups), clock_(clock) {}

    result<void> declare(registry& operations);

private:
    async<reply> list(call call);
    async<reply> show(call call);
    async<reply> add(call call);
    async<reply> put(call call);
    async<reply> remove(call call);

    async<reply> save(call call, fleet::group_store::existing_policy existing_mode);

    fleet::group_store& groups_;
    muster::clock& clock_;
};

}  // namespace muster::api
