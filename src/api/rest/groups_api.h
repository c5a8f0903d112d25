#pragma once

#include "services/fleet/group_book.h"
#include "api/operations/registry.h"

namespace muster::api {

// Groups: names for expressions, to be used as N@name or group:name in others.
class groups_api {
public:
    groups_api(fleet::group_book& groups, clock& time) : groups_(groups), time_(time) {}

    result<void> declare(registry& to);

private:
    async<reply> list(call asked);
    async<reply> show(call asked);
    async<reply> add(call asked);
    async<reply> put(call asked);
    async<reply> remove(call asked);

    async<reply> save(call asked, fleet::group_book::existing there);

    fleet::group_book& groups_;
    clock& time_;
};

}  // namespace muster::api
