#pragma once

#include "adapters/net/http/request.h"
#include "adapters/net/http/response.h"
#include "adapters/net/http/router.h"
#include "roles/fleet/rule_book.h"
#include "roles/gateway/office.h"

#include <string>

namespace muster::gateway {

// /api/v1/accept-rules and /api/v1/enrolment-tokens: how systems are taken in without an admin.
// A token and an activation key are shown when they are made and never again. Handlers run on any
// event loop.
class rules_api {
public:
    rules_api(
        const front_desk& desk,
        fleet::rule_book& rules,
        const cluster::topology_cell& places,
        clock& time)
        : desk_(desk), rules_(rules), places_(places), time_(time) {}

    result<void> add_routes(net::http::router& routes);

private:
    using answer = async<net::http::response>;

    answer list(net::http::request asked);
    answer add(net::http::request asked);
    answer remove(net::http::request asked);
    answer add_token(net::http::request asked);

    static answer settled(answer work);
    result<void> check_zone(const std::string& zone) const;
    async<void> recorded(visitor who, std::string what, std::string detail, result<void> outcome);
    net::http::handler calling(answer (rules_api::*method)(net::http::request));

    const front_desk& desk_;
    fleet::rule_book& rules_;
    const cluster::topology_cell& places_;
    clock& time_;
};

}  // namespace muster::gateway
