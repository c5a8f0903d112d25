#pragma once

#include "ports/bus.h"
#include "runtime/log.h"
#include "services/cluster/bus_publisher.h"
#include "services/fleet/accept_rule_store.h"
#include "services/fleet/enrolment_service.h"
#include "services/fleet/evicted_key_pruner.h"
#include "services/fleet/system_cache.h"
#include "services/fleet/system_follower.h"
#include "services/fleet/system_service.h"
#include "sim/cluster.h"

#include <cstddef>
#include <memory>

namespace muster::sim {

// One life of a simulated server that takes systems in: the product's own code over simulated
// ports.
class onboarding_server {
public:
    struct options {
        std::size_t pool_max = 10;
        bool cleans_up = false;  // is the one that purges
        runtime::logger* log = nullptr;
    };

    onboarding_server(cluster& stage, process& host, options options);

    void start();

    fleet::system_cache& known() { return known_; }
    fleet::system_service& keys() { return keys_; }
    fleet::enrolment_service& door() { return door_; }

private:
    boost::asio::awaitable<void> follow();

    process& host_;
    options options_;
    std::shared_ptr<metastore> store_;
    std::shared_ptr<ledger> records_;
    std::shared_ptr<bus> doorbell_;
    muster::cluster::bus_publisher bell_;
    fleet::system_cache known_;
    fleet::system_follower follower_;
    fleet::system_service keys_;
    fleet::accept_rule_store rules_;
    fleet::enrolment_service door_;
    fleet::evicted_key_pruner cleaner_;
};

// The ledger of the cluster, as every process opens it.
std::shared_ptr<ledger> open_fleet_ledger(cluster& stage, process& host);

}  // namespace muster::sim
