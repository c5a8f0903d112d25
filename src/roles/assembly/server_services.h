#pragma once

#include "adapters/net/http/counters.h"
#include "api/peer/peer_servers_client.h"
#include "api/peer/probe_api.h"
#include "api/rest/servers_api.h"
#include "roles/assembly/server_context.h"
#include "services/cluster/cluster_services.h"
#include "services/events/event_services.h"
#include "services/fleet/fleet_services.h"
#include "services/jobs/job_services.h"
#include "services/people/people_follower.h"
#include "services/presence/presence_services.h"
#include "services/windows/window_services.h"

#include <atomic>

namespace muster::roles {

// Services that every server runs: cluster membership, the caches that all roles read, and the
// endpoints for peers.
struct server_services {
    struct options {
        api::fan_out_limits peers = {};  // concurrency and timeout of requests to peers
    };

    server_services(const server_context& server, const options& options);
    server_services(const server_services&) = delete;
    server_services& operator=(const server_services&) = delete;

    result<void> add_routes(net::http::router& routes);
    void start(runtime::task_group& loops);
    // Call after the roles have stopped.
    boost::asio::awaitable<void> stop();

    const server_context& context;
    cluster::cluster_services cluster;
    people::people_cache people;
    people::people_follower people_follower;  // runs on gateways only
    presence::presence_services presence;
    fleet::fleet_services fleet;
    windows::window_services windows;
    jobs::job_services jobs;
    events::event_services events;
    // Counters of the public port; null until it is open.
    std::atomic<const net::http::counters*> counters = nullptr;
    api::probe_api probes;
    api::peer_servers_client peers;
    api::servers_api servers;
};

}  // namespace muster::roles
