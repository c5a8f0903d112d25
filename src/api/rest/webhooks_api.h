#pragma once

#include "api/operations/registry.h"
#include "services/events/event_log.h"
#include "services/events/webhook_address_policy.h"
#include "services/events/webhook_store.h"

#include <string>

namespace muster::api {

// Where events are sent to as they happen. A secret is shown when the server made it, in the answer
// to the POST, and never again.
class webhooks_api {
public:
    struct dependencies {
        events::webhook_store& webhooks;
        events::event_log& log;
        const events::webhook_address_policy& addresses;
        muster::clock& clock;
    };

    explicit webhooks_api(dependencies deps) : deps_(deps) {}

    result<void> declare(registry& to);

private:
    async<reply> list(call call);
    async<reply> show(call call);
    async<reply> add(call call);
    async<reply> remove(call call);
    async<reply> resume(call call);

    async<events::event_position> start_of(std::string since) const;

    dependencies deps_;
};

}  // namespace muster::api
