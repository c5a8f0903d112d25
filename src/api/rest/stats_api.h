#pragma once

#include "core/presence/attach_rate.h"
#include "services/cluster/topology.h"
#include "services/fleet/fleet.h"
#include "api/operations/registry.h"
#include "services/presence/load.h"
#include "services/presence/presence.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstdint>
#include <map>
#include <mutex>

namespace muster::api {

// The whole cluster in one small answer, from memory: systems by state, and for
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

    explicit stats_api(surroundings around) : around_(around) {}

    result<void> declare(registry& to);

private:
    using slot_counts = std::map<node_number, std::int64_t>;

    async<reply> stats(call asked);
    boost::json::object systems_json(const cluster::topology& known, const call& asked) const;
    boost::json::array zones_json(const cluster::topology& known, const call& asked) const;
    boost::json::array nodes_json(const cluster::topology& known, const call& asked);
    boost::json::object node_json(
        const cluster::topology& known,
        const cluster::node_record& node,
        const presence::presence::node_count& counted,
        std::int64_t slots);

    surroundings around_;
    std::mutex guard_;
    std::map<node_number, presence::attach_rate> rates_;
};

}  // namespace muster::api
