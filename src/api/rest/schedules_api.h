#pragma once

#include "api/operations/registry.h"
#include "services/windows/window_store.h"

#include <memory>
#include <string>

namespace muster::api {

// Recurring schedules. The query is stored as text and resolved at each run. Thread-safe.
class schedules_api {
public:
    schedules_api(windows::window_store& windows, muster::clock& clock)
        : windows_(windows), clock_(clock) {}

    result<void> declare(registry& operations);

private:
    async<reply> list(call call);
    async<reply> show(call call);
    async<reply> add(call call);
    async<reply> change(call call);
    async<reply> remove(call call);

    async<reply> put(
        call call,
        windows::stored_schedule stored_schedule,
        windows::window_store::write_mode mode);
    result<std::shared_ptr<const windows::window_snapshot>> current() const;

    windows::window_store& windows_;
    muster::clock& clock_;
};

}  // namespace muster::api
