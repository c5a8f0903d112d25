#pragma once

#include "api/operations/registry.h"
#include "services/cluster/readiness.h"

#include <string>

namespace muster::api {

// Shows the cluster and the engine states that this server sees. Thread-safe.
class cluster_api {
public:
    cluster_api(cluster::readiness& state, std::string server)
        : state_(state), server_(std::move(server)) {}

    result<void> declare(registry& operations);

private:
    async<reply> show(call call);

    cluster::readiness& state_;
    std::string server_;
};

}  // namespace muster::api
