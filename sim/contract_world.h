#pragma once

#include "ports/contract/world.h"
#include "sim/cluster.h"

#include <chrono>

namespace muster::sim {

// Lets the ports' contract suites run in virtual time: the scenario is a process of the cluster.
class contract_world final : public contract::world {
public:
    // A scenario that needs longer than this, by its own clock, hangs.
    static constexpr auto scenario_time_max = std::chrono::hours(1);

    explicit contract_world(cluster& stage);

    muster::clock& clock() override { return tester_.clock(); }
    void run(boost::asio::awaitable<void> scenario) override;

private:
    cluster& stage_;
    process& tester_;
};

}  // namespace muster::sim
