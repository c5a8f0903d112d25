#pragma once

#include "adapters/net/http/request.h"
#include "adapters/net/http/response.h"
#include "adapters/net/http/router.h"
#include "roles/gateway/office.h"
#include "roles/windows/window_book.h"

#include <memory>
#include <string>

namespace muster::gateway {

// /api/v1/schedules: what runs again and again. The query is kept as it was written and resolved
// whenever it runs. Every change is in the audit trail. Handlers run on any event loop.
class schedules_api {
public:
    schedules_api(const front_desk& desk, windows::window_book& book, clock& time)
        : desk_(desk), book_(book), time_(time) {}

    result<void> add_routes(net::http::router& routes);

private:
    using answer = async<net::http::response>;
    using request = net::http::request;

    answer list(request asked);
    answer show(request asked);
    answer add(request asked);
    answer change(request asked);
    answer remove(request asked);

    answer put(
        visitor who,
        std::string name,
        windows::stored_schedule what,
        windows::window_book::writing how);
    result<std::shared_ptr<const windows::window_view>> current() const;
    async<void> recorded(visitor who, std::string what, std::string detail, result<void> outcome);
    static answer settled(answer work);
    net::http::handler calling(answer (schedules_api::*method)(request));

    const front_desk& desk_;
    windows::window_book& book_;
    clock& time_;
};

}  // namespace muster::gateway
