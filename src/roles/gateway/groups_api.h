#pragma once

#include "adapters/net/http/request.h"
#include "adapters/net/http/response.h"
#include "adapters/net/http/router.h"
#include "roles/fleet/group_book.h"
#include "roles/gateway/office.h"

#include <string>

namespace muster::gateway {

// /api/v1/groups: names for expressions, to be used as N@name or group:name in others. Every change
// is in the audit trail. Handlers run on any event loop.
class groups_api {
public:
    groups_api(const front_desk& desk, fleet::group_book& groups, clock& time)
        : desk_(desk), groups_(groups), time_(time) {}

    result<void> add_routes(net::http::router& routes);

private:
    using answer = async<net::http::response>;

    answer list(net::http::request asked);
    answer show(net::http::request asked);
    answer add(net::http::request asked);
    answer put(net::http::request asked);
    answer remove(net::http::request asked);

    struct order {
        visitor who;
        fleet::saved_group wanted;
    };
    async<order> read_order(
        async<visitor> admitted, async<std::string> body, std::optional<std::string> name);
    answer save(order what, fleet::group_book::existing there, unsigned status);
    async<void> recorded(visitor who, std::string what, std::string detail, result<void> outcome);
    static answer settled(answer work);
    net::http::handler calling(answer (groups_api::*method)(net::http::request));

    const front_desk& desk_;
    fleet::group_book& groups_;
    clock& time_;
};

}  // namespace muster::gateway
