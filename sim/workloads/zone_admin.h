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

// An admin who makes the zone, takes in whoever knocks, and drains somebody now and then until the
// end is near.
class zone_admin {
public:
    struct options {
        std::string zone = "default";
        std::chrono::seconds disaster_timeout{15};
        std::uint32_t drains_per_mille = 10;  // at each look, of each node that serves
        std::function<bool()> winding_down;
    };

    zone_admin(process& self, std::shared_ptr<metastore> metastore, options options)
        : self_(self), store_(std::move(metastore)), options_(std::move(options)) {}

    boost::asio::awaitable<void> run();

private:
    async<void> make_zone();
    async<void> look();

    process& self_;
    std::shared_ptr<metastore> store_;
    options options_;
};

}  // namespace muster::sim
