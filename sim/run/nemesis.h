#pragma once

#include "sim/cluster.h"
#include "sim/run/scenario.h"

#include <map>
#include <string>
#include <vector>

namespace muster::sim {

// Makes the trouble of a scenario: thinks of each fault every so often, strikes when it fires, and
// mends what it broke a while later.
class nemesis {
public:
    struct victims {
        std::vector<std::string> engines;
        std::vector<std::string> clients;
    };

    nemesis(cluster& stage, victims victims, std::map<std::string, fault_plan> plans);

    void begin();
    // No more trouble; everything that was broken is whole again.
    void end();

private:
    void think_of(const std::string& name);
    void strike(const std::string& name, prng& random, monotonic::duration lasts);
    void crash(const std::string& victim, monotonic::duration lasts);
    void isolate(const std::string& victim, direction direction, monotonic::duration lasts);
    const std::string& any_of(const std::vector<std::string>& names, prng& random) const;

    cluster& stage_;
    victims who_;
    std::vector<std::string> everyone_;
    std::map<std::string, fault_plan> plans_;
    bool ended_ = false;
};

}  // namespace muster::sim
