#pragma once

#include "adapters/net/http/request.h"
#include "adapters/net/http/response.h"
#include "api/operations/audit.h"
#include "ports/async.h"
#include "ports/clock.h"
#include "services/cluster/announcer.h"
#include "services/cluster/engines.h"
#include "services/cluster/record.h"
#include "services/cluster/topology.h"
#include "services/people/identity.h"
#include "services/people/people_office.h"

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace muster::api {

// How long the API waits for an engine before it answers 503.
using cluster::engine_patience;

// What the API works with once the cluster is known.
struct office {
    // References are always given: there is nothing that a constructor could leave out.
    struct surroundings {  // NOLINT(cppcoreguidelines-pro-type-member-init)
        cluster::engines engines;
        cluster::announcer& bell;
        const cluster::topology_cell& topology;
        const people::roster_cell& people;
        cluster::cluster_record cluster;
    };

    office(surroundings given, clock& now, people::people_office::options how)
        : engines(given.engines),
          bell(given.bell),
          topology(given.topology),
          cluster(std::move(given.cluster)),
          time(now),
          audit(given.engines.records, given.bell, now),
          people(
              {.store = given.engines.metadata,
               .known = given.people,
               .places = given.topology,
               .time = now,
               .audit = audit},
              std::move(how)) {}

    cluster::engines engines;
    cluster::announcer& bell;
    const cluster::topology_cell& topology;
    cluster::cluster_record cluster;
    clock& time;
    audit_trail audit;
    people::people_office people;
};

// Who asks, and the office that serves them.
struct visitor : people::identity {
    std::shared_ptr<office> desk;
    std::string origin;      // the address they came from
    bool by_cookie = false;  // which a browser sends along by itself
};

// Lets people in to the API once the cluster is known. Thread-safe.
class front_desk {
public:
    explicit front_desk(clock& time) : time_(time) {}

    void open(std::shared_ptr<office> opened);

    // errc::unavailable until the cluster is known.
    result<std::shared_ptr<office>> enter() const;

    // Who asks, by the request's session or token: errc::denied when it is nobody's.
    async<visitor> admit(const net::http::request& asked) const;
    // Whoever comes, for what is open to all.
    result<visitor> admit_anybody(const net::http::request& asked) const;

private:
    async<visitor> admit_with(std::string secret, std::string origin, bool by_cookie) const;

    clock& time_;
    mutable std::mutex guard_;
    std::shared_ptr<office> office_;
};

// The answer to a request that ended with an error: 401 for somebody not logged in, 503 for an
// engine that did not answer in time; nothing the API does is half-done then.
net::http::response refused(const error& failure);

// The same after the caller is known: 403 for a right that is missing.
net::http::response problem_of(const error& failure);

// Whether a browser sends this for a page that is not ours.
bool from_another_site(const net::http::request& asked);

net::http::response no_store(net::http::response answer);

}  // namespace muster::api
