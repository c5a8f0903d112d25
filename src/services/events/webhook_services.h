#pragma once

#include "ports/metastore.h"
#include "services/events/webhook_address_policy.h"
#include "services/events/webhook_store.h"

#include <utility>

namespace muster::events {

// Owns the webhook store and the policy for webhook addresses.
struct webhook_services {
    webhook_services(
        muster::metastore& metastore,
        webhook_address_policy::options options,
        const cluster::topology_cache& topology)
        : store(metastore), addresses(std::move(options), &topology) {}

    webhook_store store;
    webhook_address_policy addresses;
};

}  // namespace muster::events
