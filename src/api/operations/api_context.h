#pragma once

#include "adapters/net/http/request.h"
#include "adapters/net/http/response.h"
#include "api/operations/audit.h"
#include "ports/async.h"
#include "ports/clock.h"
#include "services/cluster/bus_publisher.h"
#include "services/cluster/engines.h"
#include "services/cluster/record.h"
#include "services/cluster/topology.h"
#include "services/people/identity.h"
#include "services/people/people_services.h"

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace muster::api {

// How long the API waits for an engine before it answers 503.
using cluster::engine_timeout;

// What the API works with once the cluster is known.
struct api_context {
    // References are always given: there is nothing that a constructor could leave out.
    struct dependencies {  // NOLINT(cppcoreguidelines-pro-type-member-init)
        cluster::engines engines;
        cluster::bus_publisher& bus;
        const cluster::topology_cache& topology;
        const people::people_cache& people;
        cluster::cluster_record cluster;
    };

    api_context(dependencies deps, muster::clock& now, people::people_services::options options)
        : engines(deps.engines),
          bell(deps.bus),
          topology(deps.topology),
          cluster(std::move(deps.cluster)),
          clock(now),
          audit(deps.engines.ledger, deps.bus, now),
          people(
              {.metastore = deps.engines.metastore,
               .people = deps.people,
               .topology = deps.topology,
               .clock = now,
               .audit = audit},
              std::move(options)) {}

    cluster::engines engines;
    cluster::bus_publisher& bell;
    const cluster::topology_cache& topology;
    cluster::cluster_record cluster;
    muster::clock& clock;
    audit_trail audit;
    people::people_services people;
};

// Who asks, and the office that serves them.
struct caller : people::identity {
    std::shared_ptr<api_context> context;
    std::string origin;      // the address they came from
    bool by_cookie = false;  // which a browser sends along by itself
};

// Lets people in to the API once the cluster is known. Thread-safe.
class request_authenticator {
public:
    explicit request_authenticator(muster::clock& clock) : clock_(clock) {}

    void open(std::shared_ptr<api_context> opened);

    // errc::unavailable until the cluster is known.
    result<std::shared_ptr<api_context>> enter() const;

    // Who asks, by the request's session or token: errc::denied when it is nobody's.
    async<caller> admit(const net::http::request& request) const;
    // Whoever comes, for what is open to all.
    result<caller> admit_anybody(const net::http::request& request) const;

private:
    async<caller> admit_with(std::string secret, std::string origin, bool by_cookie) const;

    muster::clock& clock_;
    mutable std::mutex guard_;
    std::shared_ptr<api_context> api_context_;
};

// The answer to a request that ended with an error: 401 for somebody not logged in, 503 for an
// engine that did not answer in time; nothing the API does is half-done then.
net::http::response refused(const error& failure);

// The same after the caller is known: 403 for a right that is missing.
net::http::response problem_of(const error& failure);

// Whether a browser sends this for a page that is not ours.
bool from_another_site(const net::http::request& request);

net::http::response no_store(net::http::response answer);

}  // namespace muster::api
