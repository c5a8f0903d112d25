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

// What each server counts of itself: requests, how long they took, what failed, what it uses of its
// machine. GET /api/v1/servers/stats asks all of them, GET /cluster/stats is where each answers,
// for servers of the cluster only.
class servers_api {
public:
    struct dependencies {
        const cluster::topology_cache& topology;
        const peer_servers_client& others;
        muster::clock& clock;
        // Of the public port; null before that is open.
        const std::atomic<const net::http::counters*>& counters;
        std::string self;  // this server's name
    };

    explicit servers_api(dependencies deps) : deps_(std::move(deps)) {}

    result<void> declare(registry& to);
    result<void> add_routes(net::http::router& routes);

private:
    // Those that the caller may see: to be asked, and away.
    struct roll {
        std::vector<cluster::server_record> there;
        std::map<std::string, std::string> failed;  // server and reason
    };

    async<reply> stats(call call);
    async<net::http::response> serve(net::http::request request);
    roll call_the_roll(const call& call) const;
    boost::json::object own_stats() const;

    dependencies deps_;
};

}  // namespace muster::api
