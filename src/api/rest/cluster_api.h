#pragma once

#include "api/operations/registry.h"
#include "services/cluster/readiness.h"

#include <string>

namespace muster::api {

// The cluster itself: which it is, and how the server that answers sees its engines.
class cluster_api {
public:
    cluster_api(cluster::readiness& state, std::string server)
        : state_(state), server_(std::move(server)) {}

    result<void> declare(registry& to);

private:
    async<reply> show(call call);

    cluster::readiness& state_;
    std::string server_;
};

}  // namespace muster::api
