#pragma once

#include "sim/cluster.h"
#include "sim/run/scenario.h"

#include <map>
#include <string>
#include <vector>

namespace muster::sim {

// Injects the faults of a scenario: considers each fault at intervals, injects it when it fires,
// and repairs the damage later. Not thread-safe.
class nemesis {
public:
    struct victims {
        std::vector<std::string> engines;
        std::vector<std::string> clients;
    };

    nemesis(sim::cluster& cluster, victims victims, std::map<std::string, fault_plan> plans);

    void begin();
    // Stops all faults and repairs everything.
    void end();

private:
    void schedule_fault(const std::string& name);
    void inject(const std::string& name, prng& random, monotonic::duration lasts);
    void crash(const std::string& victim, monotonic::duration lasts);
    void isolate(const std::string& victim, direction direction, monotonic::duration lasts);
    const std::string& pick(const std::vector<std::string>& names, prng& random) const;

    cluster& cluster_;
    victims victims_;
    std::vector<std::string> processes_;
    std::map<std::string, fault_plan> plans_;
    bool ended_ = false;
};

}  // namespace muster::sim
