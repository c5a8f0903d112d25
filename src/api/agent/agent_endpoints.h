#pragma once

#include "api/agent/agent_entry_api.h"
#include "api/agent/package_list_endpoint.h"

namespace muster::api {

// HTTP endpoints for agents: state, enrolment, placement and package lists.
struct agent_endpoints {
    agent_endpoints(
        agent_entry_api::dependencies deps,
        const agent_entry_api::options& options,
        content::package_sets& packages)
        : entry(deps, options), package_lists(deps.systems, packages, deps.clock) {}

    result<void> add_routes(net::http::router& routes) {
        CHECK_OK(entry.add_routes(routes));
        return package_lists.add_routes(routes);
    }

    agent_entry_api entry;
    package_list_endpoint package_lists;
};

}  // namespace muster::api
