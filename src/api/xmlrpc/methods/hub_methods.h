#pragma once

#include "api/xmlrpc/calls/hub_relay.h"
#include "api/xmlrpc/methods/auth_methods.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace muster::xmlrpc_api {

// hub.*: sessions and servers as clients of a hub know them. A session is good on every server, so
// the ways of logging in differ in their answers only, and attaching asks whether the servers are
// there.
class hub_methods {
public:
    hub_methods(auth_methods& auth, const relay& calls, const cluster::topology_cache& topology)
        : auth_(auth), calls_(calls), topology_(topology) {}

    result<void> declare(method_registry& to);

private:
    async<answer> log_in_everywhere(call call);
    async<answer> list_server_ids(call call);
    async<answer> attach(call call);

    using zones = std::optional<std::set<std::string>>;  // nothing: all
    std::vector<std::int64_t> servers_in(const zones& sight) const;
    parts attached(const std::vector<std::int64_t>& servers, const zones& sight) const;

    auth_methods& auth_;
    const relay& calls_;
    const cluster::topology_cache& topology_;
};

}  // namespace muster::xmlrpc_api
