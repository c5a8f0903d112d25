#pragma once

#include "sim/network.h"
#include "sim/process.h"
#include "sim/simulation.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace muster::sim {

// A simulation with a network and the processes on it. Scenarios run on a cluster.
class cluster {
public:
    cluster(std::uint64_t seed, network_options options);
    cluster(const cluster&) = delete;
    cluster& operator=(const cluster&) = delete;
    ~cluster();

    // Adds a process without starting it. Names are unique.
    process& add(process_options options, process::start_function on_start);
    process& at(const std::string& name);
    address address_of(const std::string& name) const { return addresses_.at(name); }
    const std::map<std::string, std::unique_ptr<process>>& processes() const { return processes_; }

    // A clock like that of a real machine: a random origin, some drift, a small wall-clock offset.
    clock_faults draw_clock(const std::string& name);

    void isolate(const std::string& name, direction direction);

    sim::simulation simulation;
    sim::network network;

private:
    std::map<std::string, std::unique_ptr<process>> processes_;
    std::map<std::string, address> addresses_;
};

}  // namespace muster::sim
