#pragma once

#include "api/agent/agent_entry_api.h"
#include "api/agent/package_list_endpoint.h"

namespace muster::api {

// Where systems themselves ask: whether they are in, where to attach, and which packages they have.
struct agent_endpoints {
    agent_endpoints(
        agent_entry_api::dependencies deps,
        const agent_entry_api::options& options,
        content::package_sets& packages)
        : entry(deps, options), package_lists(deps.systems, packages, deps.clock) {}

    result<void> add_routes(net::http::router& to) {
        CHECK_OK(entry.add_routes(to));
        return package_lists.add_routes(to);
    }

    agent_entry_api entry;
    package_list_endpoint package_lists;
};

}  // namespace muster::api
