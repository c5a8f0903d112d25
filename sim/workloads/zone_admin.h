#pragma once

#include "ports/metastore.h"
#include "services/cluster/topology_record.h"
#include "sim/process.h"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace muster::sim {

async<std::map<std::string, muster::cluster::node_record>> read_nodes(
    std::shared_ptr<metastore> metastore);

// An administrator: creates the zone, accepts joining nodes, and drains a node now and then until
// the run winds down.
class zone_admin {
public:
    struct options {
        std::string zone = "default";
        std::chrono::seconds disaster_timeout{15};
        std::uint32_t drains_per_mille = 10;  // at each look, of each node that serves
        std::function<bool()> winding_down;
    };

    zone_admin(process& self, std::shared_ptr<metastore> metastore, options options)
        : self_(self), metastore_(std::move(metastore)), options_(std::move(options)) {}

    boost::asio::awaitable<void> run();

private:
    async<void> create_zone();
    async<void> run_once();

    process& self_;
    std::shared_ptr<metastore> metastore_;
    options options_;
};

}  // namespace muster::sim
