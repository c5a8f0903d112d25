#pragma once

#include "api/operations/registry.h"
#include "services/events/event_log.h"
#include "services/events/webhook_address_policy.h"
#include "services/events/webhook_store.h"

#include <string>

namespace muster::api {

// Webhooks. A generated secret is shown only in the response that creates the webhook. Thread-safe.
class webhooks_api {
public:
    struct dependencies {
        events::webhook_store& webhooks;
        events::event_log& log;
        const events::webhook_address_policy& addresses;
        muster::clock& clock;
    };

    explicit webhooks_api(dependencies deps) : deps_(deps) {}

    result<void> declare(registry& operations);

private:
    async<reply> list(call call);
    async<reply> show(call call);
    async<reply> add(call call);
    async<reply> remove(call call);
    async<reply> resume(call call);

    async<events::event_position> find_start(std::string since) const;

    dependencies deps_;
};

}  // namespace muster::api
