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

// References shared by all roles of a server. All of them outlive the roles.
struct server_context {
    cluster::engines engines;
    muster::clock& clock;
    runtime::logger& log;
    runtime::metrics& metrics;
    cluster::readiness& state;
    const bootstrap::server_credentials& credentials;
    const api::request_authenticator& authenticator;
    cluster::server_record own;  // this server's record in the cluster
    std::chrono::seconds lease_ttl{10};

    bool has_role(std::string_view role) const;
};

// Timeout for each engine call during a planned stop.
inline constexpr std::chrono::seconds stop_timeout{2};

}  // namespace muster::roles
