#pragma once

#include "api/operations/registry.h"
#include "services/windows/window_store.h"

#include <memory>
#include <string>

namespace muster::api {

// What runs again and again. The query is kept as it was written and resolved whenever it runs.
class schedules_api {
public:
    schedules_api(windows::window_store& book, muster::clock& clock)
        : windows_(book), clock_(clock) {}

    result<void> declare(registry& to);

private:
    async<reply> list(call call);
    async<reply> show(call call);
    async<reply> add(call call);
    async<reply> change(call call);
    async<reply> remove(call call);

    async<reply> put(
        call call,
        windows::stored_schedule stored_schedule,
        windows::window_store::writing writing);
    result<std::shared_ptr<const windows::window_snapshot>> current() const;

    windows::window_store& windows_;
    muster::clock& clock_;
};

}  // namespace muster::api
