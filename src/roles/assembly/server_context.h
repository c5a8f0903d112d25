#pragma once

#include "api/operations/api_context.h"
#include "ports/clock.h"
#include "runtime/log.h"
#include "runtime/metrics.h"
#include "services/bootstrap/server_credentials.h"
#include "services/cluster/engines.h"
#include "services/cluster/readiness.h"
#include "services/cluster/record.h"

#include <chrono>
#include <string>
#include <string_view>

namespace muster::roles {

// What every role of a server stands on. All of it outlives the roles.
struct server_context {
    cluster::engines engines;
    muster::clock& clock;
    runtime::logger& log;
    runtime::metrics& metrics;
    cluster::readiness& state;
    const bootstrap::server_credentials& credentials;
    const api::request_authenticator& authenticator;
    cluster::server_record own;  // how the server is listed in the cluster
    std::chrono::seconds lease_ttl{10};

    bool has_role(std::string_view role) const;
};

// At a planned stop nobody waits longer than this for one engine.
inline constexpr std::chrono::seconds stop_timeout{2};

}  // namespace muster::roles
