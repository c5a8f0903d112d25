#pragma once

#include "api/xmlrpc/calls/hub_relay.h"
#include "api/xmlrpc/methods/auth_methods.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace muster::xmlrpc_api {

// hub.*: sessions and servers for clients of a hub. A session is valid on every server, so the
// login methods differ in their responses only. Attaching checks that the servers are available.
class hub_methods {
public:
    hub_methods(auth_methods& auth, const hub_relay& relay, const cluster::topology_cache& topology)
        : auth_(auth), relay_(relay), topology_(topology) {}

    result<void> declare(method_registry& registry);

private:
    async<method_response> log_in_everywhere(call call);
    async<method_response> list_server_ids(call call);
    async<method_response> attach(call call);

    using zones = std::optional<std::set<std::string>>;  // nothing: all
    std::vector<std::int64_t> list_servers(const zones& visible_zones) const;
    multicast_results attach_results(
        const std::vector<std::int64_t>& servers, const zones& visible_zones) const;

    auth_methods& auth_;
    const hub_relay& relay_;
    const cluster::topology_cache& topology_;
};

}  // namespace muster::xmlrpc_api
