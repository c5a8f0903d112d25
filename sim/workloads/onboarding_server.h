#pragma once

#include "ports/bus.h"
#include "services/cluster/announcer.h"
#include "services/fleet/caretaker.h"
#include "services/fleet/enroller.h"
#include "services/fleet/fleet.h"
#include "services/fleet/follower.h"
#include "services/fleet/registrar.h"
#include "services/fleet/rule_book.h"
#include "runtime/log.h"
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

    onboarding_server(cluster& stage, process& host, options how);

    void start();

    fleet::fleet& known() { return known_; }
    fleet::registrar& keys() { return keys_; }
    fleet::enroller& door() { return door_; }

private:
    boost::asio::awaitable<void> follow();

    process& host_;
    options how_;
    std::shared_ptr<metastore> store_;
    std::shared_ptr<ledger> records_;
    std::shared_ptr<bus> doorbell_;
    muster::cluster::announcer bell_;
    fleet::fleet known_;
    fleet::follower follower_;
    fleet::registrar keys_;
    fleet::rule_book rules_;
    fleet::enroller door_;
    fleet::caretaker cleaner_;
};

// The ledger of the cluster, as every process opens it.
std::shared_ptr<ledger> open_fleet_ledger(cluster& stage, process& host);

}  // namespace muster::sim
