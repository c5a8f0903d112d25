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

// Timeout for an engine; the API then responds with 503.
using cluster::engine_timeout;

// Shared context of API calls. Exists once the cluster is known.
struct api_context {
    // All references must be given; there are no defaults.
    struct dependencies {  // NOLINT(cppcoreguidelines-pro-type-member-init)
        cluster::engines engines;
        cluster::bus_publisher& bus;
        const cluster::topology_cache& topology;
        const people::people_cache& people;
        cluster::cluster_record cluster;
    };

    api_context(dependencies deps, muster::clock& now, people::people_services::options options)
        : engines(deps.engines),
          bus(deps.bus),
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
    cluster::bus_publisher& bus;
    const cluster::topology_cache& topology;
    cluster::cluster_record cluster;
    muster::clock& clock;
    audit_trail audit;
    people::people_services people;
};

// An authenticated caller with origin and context.
struct caller : people::identity {
    std::shared_ptr<api_context> context;
    std::string origin;      // client address
    bool by_cookie = false;  // browsers send cookies by themselves: CSRF check needed
};

// Authenticates requests by session or token, once the cluster is known. Thread-safe.
class request_authenticator {
public:
    explicit request_authenticator(muster::clock& clock) : clock_(clock) {}

    void open(std::shared_ptr<api_context> context);

    // errc::unavailable until the cluster is known.
    result<std::shared_ptr<api_context>> context() const;

    // The caller of the session or token; errc::denied if there is none.
    async<caller> authenticate(const net::http::request& request) const;
    // A caller without an identity, for public operations.
    result<caller> anonymous_caller(const net::http::request& request) const;

private:
    async<caller> authenticate_secret(std::string secret, std::string origin, bool by_cookie) const;

    muster::clock& clock_;
    mutable std::mutex mutex_;
    std::shared_ptr<api_context> context_;
};

// The response to a failed authentication: 401 for errc::denied, 503 for an engine timeout.
net::http::response authentication_problem(const error& failure);

// The response to an error of an authenticated caller: 403 for a missing right.
net::http::response to_problem(const error& failure);

// Whether a browser sent this request from a page of another site.
bool is_cross_site(const net::http::request& request);

net::http::response no_store(net::http::response response);

}  // namespace muster::api
