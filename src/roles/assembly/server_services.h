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

// What every server runs, whatever its roles: it is a member of the cluster, keeps the caches that
// all roles read, and answers its peers.
struct server_services {
    struct options {
        api::fan_out_limits peers = {};  // how many other servers are asked at once, and how long
    };

    server_services(const server_context& server, const options& options);
    server_services(const server_services&) = delete;
    server_services& operator=(const server_services&) = delete;

    result<void> add_routes(net::http::router& to);
    void start(runtime::task_group& loops);
    // After the roles have stopped.
    boost::asio::awaitable<void> stop();

    const server_context& context;
    cluster::cluster_services cluster;
    people::people_cache people;
    people::people_follower people_follower;  // runs in gateways only
    presence::presence_services presence;
    fleet::fleet_services fleet;
    windows::window_services windows;
    jobs::job_services jobs;
    events::event_services events;
    // What the public port counts, once it is open.
    std::atomic<const net::http::counters*> counters = nullptr;
    api::probe_api probes;
    api::peer_servers_client peers;
    api::servers_api servers;
};

}  // namespace muster::roles
