#pragma once

#include "adapters/net/http/request.h"
#include "adapters/net/http/response.h"
#include "adapters/net/http/router.h"
#include "roles/events/event_log.h"
#include "roles/events/webhook_book.h"
#include "roles/events/webhook_gate.h"
#include "roles/gateway/office.h"

#include <string>

namespace muster::gateway {

// /api/v1/webhooks: where events are sent to as they happen. A secret is shown when the server made
// it, in the answer to the POST, and never again. Every change is in the audit trail. Handlers run
// on any event loop.
class webhooks_api {
public:
    struct surroundings {
        const front_desk& desk;
        events::webhook_book& book;
        events::event_log& log;
        const events::webhook_gate& gate;
        clock& time;
    };

    explicit webhooks_api(surroundings around) : around_(around) {}

    result<void> add_routes(net::http::router& routes);

private:
    using answer = async<net::http::response>;

    answer list(net::http::request asked);
    answer show(net::http::request asked);
    answer add(net::http::request asked);
    answer remove(net::http::request asked);
    answer resume(net::http::request asked);

    async<void> recorded(
        visitor who, std::string what, std::string detail, result<void> outcome) const;
    async<events::event_position> start_of(std::string since) const;
    static answer settled(answer work);
    net::http::handler calling(answer (webhooks_api::*method)(net::http::request));

    surroundings around_;
};

}  // namespace muster::gateway
