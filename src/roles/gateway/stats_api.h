#pragma once

#include "adapters/net/http/router.h"
#include "core/presence/attach_rate.h"
#include "roles/cluster/topology.h"
#include "roles/fleet/fleet.h"
#include "roles/gateway/office.h"
#include "roles/presence/load.h"
#include "roles/presence/presence.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstdint>
#include <map>
#include <mutex>

namespace muster::gateway {

// GET /api/v1/stats: the whole cluster in one small answer, from memory: systems by state, and for
// each zone and node what it holds and what that costs. What `muster top` shows.
class stats_api {
public:
    struct surroundings {
        const fleet::fleet& systems;
        const presence::presence& attached;
        const presence::load_board& loads;
        const cluster::topology_cell& topology;
        clock& time;
    };

    stats_api(const front_desk& desk, surroundings around) : desk_(desk), around_(around) {}

    result<void> add_routes(net::http::router& routes);

private:
    using slot_counts = std::map<node_number, std::int64_t>;

    async<net::http::response> stats(net::http::request asked);
    boost::json::object systems_json() const;
    boost::json::array zones_json(const cluster::topology& known) const;
    boost::json::array nodes_json(const cluster::topology& known);
    boost::json::object node_json(
        const cluster::topology& known,
        const cluster::node_record& node,
        const presence::presence::node_count& counted,
        std::int64_t slots);

    const front_desk& desk_;
    surroundings around_;
    std::mutex guard_;
    std::map<node_number, presence::attach_rate> rates_;
};

}  // namespace muster::gateway
