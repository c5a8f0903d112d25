#pragma once

#include "services/cluster/record.h"
#include "services/cluster/topology.h"

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace muster::api {

// JSON forms of zones, nodes and servers.

using slot_counts = std::map<node_number, std::size_t>;
slot_counts slots_by_node(const cluster::topology& topology);

boost::json::object node_json(
    const cluster::topology& topology,
    const cluster::node_record& node,
    const slot_counts& slots,
    std::optional<std::int64_t> attached);
boost::json::object server_json(const cluster::server_record& server);
boost::json::object zone_json(const cluster::topology& topology, const cluster::zone_record& zone);
boost::json::object topology_json(const cluster::topology& topology);
// The slot owners of a zone, as runs of slots with the same owner since the same epoch.
boost::json::object slots_json(const cluster::topology& topology, const std::string& zone);

}  // namespace muster::api
