#pragma once

#include "api/operations/registry.h"
#include "core/presence/attach_rate.h"
#include "services/cluster/topology.h"
#include "services/fleet/system_cache.h"
#include "services/presence/load_cache.h"
#include "services/presence/presence_cache.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstdint>
#include <map>
#include <mutex>

namespace muster::api {

// Cluster statistics from memory, used by `muster top`: systems by state, and the load of each zone
// and node. Thread-safe.
class stats_api {
public:
    struct dependencies {
        const fleet::system_cache& systems;
        const presence::presence_cache& attached;
        const presence::load_cache& loads;
        const cluster::topology_cache& topology;
        muster::clock& clock;
    };

    explicit stats_api(dependencies deps) : deps_(deps) {}

    result<void> declare(registry& operations);

private:
    using slot_counts = std::map<node_number, std::int64_t>;

    async<reply> stats(call call);
    boost::json::object systems_json(const cluster::topology& topology, const call& call) const;
    boost::json::array zones_json(const cluster::topology& topology, const call& call) const;
    boost::json::array nodes_json(const cluster::topology& topology, const call& call);
    boost::json::object node_json(
        const cluster::topology& topology,
        const cluster::node_record& node,
        const presence::presence_cache::node_count& count,
        std::int64_t slots);

    dependencies deps_;
    std::mutex mutex_;
    std::map<node_number, presence::attach_rate> rates_;
};

}  // namespace muster::api
