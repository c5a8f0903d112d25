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

    onboarding_server(sim::cluster& cluster, process& host, options options);

    void start();

    fleet::system_cache& known() { return systems_; }
    fleet::system_service& keys() { return keys_; }
    fleet::enrolment_service& door() { return enrolment_; }

private:
    boost::asio::awaitable<void> follow();

    process& host_;
    options options_;
    std::shared_ptr<metastore> metastore_;
    std::shared_ptr<ledger> ledger_;
    std::shared_ptr<bus> bus_;
    muster::cluster::bus_publisher bell_;
    fleet::system_cache systems_;
    fleet::system_follower follower_;
    fleet::system_service keys_;
    fleet::accept_rule_store rules_;
    fleet::enrolment_service enrolment_;
    fleet::evicted_key_pruner pruner_;
};

// The ledger of the cluster, as every process opens it.
std::shared_ptr<ledger> open_fleet_ledger(sim::cluster& cluster, process& host);

}  // namespace muster::sim
