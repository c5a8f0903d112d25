#pragma once

#include "adapters/net/http/counters.h"
#include "adapters/net/http/router.h"
#include "api/operations/registry.h"
#include "api/peer/peer_servers_client.h"
#include "services/cluster/topology.h"

#include <boost/json/object.hpp>

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace muster::api {

// Statistics of all servers: requests, durations, errors, machine usage. GET /api/v1/servers/stats
// merges the responses of all servers; GET /cluster/stats serves this server's part to peers.
// Thread-safe.
class servers_api {
public:
    struct dependencies {
        const cluster::topology_cache& topology;
        const peer_servers_client& peers;
        muster::clock& clock;
        // Counters of the public port; null until it is open.
        const std::atomic<const net::http::counters*>& counters;
        std::string self;  // this server's name
    };

    explicit servers_api(dependencies deps) : deps_(std::move(deps)) {}

    result<void> declare(registry& operations);
    result<void> add_routes(net::http::router& routes);

private:
    // Servers that the caller may see: online ones to query, and those that are away.
    struct server_list {
        std::vector<cluster::server_record> online;
        std::map<std::string, std::string> failed;  // server and reason
    };

    async<reply> stats(call call);
    async<net::http::response> serve(net::http::request request);
    server_list list_servers(const call& call) const;
    boost::json::object own_stats() const;

    dependencies deps_;
};

}  // namespace muster::api
