#pragma once

#include "api/operations/registry.h"
#include "services/windows/window_book.h"

#include <memory>
#include <string>

namespace muster::api {

// What runs again and again. The query is kept as it was written and resolved whenever it runs.
class schedules_api {
public:
    schedules_api(windows::window_book& book, clock& time) : book_(book), time_(time) {}

    result<void> declare(registry& to);

private:
    async<reply> list(call asked);
    async<reply> show(call asked);
    async<reply> add(call asked);
    async<reply> change(call asked);
    async<reply> remove(call asked);

    async<reply> put(call asked, windows::stored_schedule what, windows::window_book::writing how);
    result<std::shared_ptr<const windows::window_view>> current() const;

    windows::window_book& book_;
    clock& time_;
};

}  // namespace muster::api
