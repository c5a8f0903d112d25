#pragma once

#include "sim/network.h"
#include "sim/process.h"
#include "sim/world.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace muster::sim {

// A world with a network and the processes on it: what a scenario is played on.
class cluster {
public:
    cluster(std::uint64_t seed, network_options options);
    cluster(const cluster&) = delete;
    cluster& operator=(const cluster&) = delete;
    ~cluster();

    // A new process, not yet started. Names are unique.
    process& add(process_options options, process::start_function on_start);
    process& at(const std::string& name);
    address address_of(const std::string& name) const { return addresses_.at(name); }
    const std::map<std::string, std::unique_ptr<process>>& processes() const { return processes_; }

    // Clocks as machines have them: a random origin, some drift, a wall clock a little off.
    clock_faults draw_clock(const std::string& name);

    void isolate(const std::string& name, direction direction);

    sim::world world;
    sim::network network;

private:
    std::map<std::string, std::unique_ptr<process>> processes_;
    std::map<std::string, address> addresses_;
};

}  // namespace muster::sim
