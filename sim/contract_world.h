#pragma once

#include "ports/contract/world.h"
#include "sim/cluster.h"

#include <chrono>

namespace muster::sim {

// Runs the contract suites of the ports in virtual time: the scenario is a process of the cluster.
class contract_world final : public contract::world {
public:
    // A scenario that takes longer than this, in virtual time, has hung.
    static constexpr auto scenario_time_max = std::chrono::hours(1);

    explicit contract_world(sim::cluster& cluster);

    muster::clock& clock() override { return tester_.clock(); }
    void run(boost::asio::awaitable<void> scenario) override;

private:
    cluster& cluster_;
    process& tester_;
};

}  // namespace muster::sim
