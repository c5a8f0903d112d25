#pragma once

#include "services/events/event_log.h"
#include "services/events/webhook_book.h"
#include "services/events/webhook_gate.h"
#include "api/operations/registry.h"

#include <string>

namespace muster::api {

// Where events are sent to as they happen. A secret is shown when the server made it, in the answer
// to the POST, and never again.
class webhooks_api {
public:
    struct surroundings {
        events::webhook_book& book;
        events::event_log& log;
        const events::webhook_gate& gate;
        clock& time;
    };

    explicit webhooks_api(surroundings around) : around_(around) {}

    result<void> declare(registry& to);

private:
    async<reply> list(call asked);
    async<reply> show(call asked);
    async<reply> add(call asked);
    async<reply> remove(call asked);
    async<reply> resume(call asked);

    async<events::event_position> start_of(std::string since) const;

    surroundings around_;
};

}  // namespace muster::api
