#include "sim/cluster.h"

#include "base/assert.h"

namespace muster::sim {

cluster::cluster(std::uint64_t seed, network_options options)
    : simulation(seed), network(simulation, options) {}

cluster::~cluster() {
    // Processes refer to each other only through the network, so they can be destroyed in any
    // order.
    for (auto& [name, process] : processes_) {
        if (process->running()) process->crash();
    }
}

process& cluster::add(process_options options, process::start_function on_start) {
    const std::string name = options.name;
    MUSTER_ASSERT(!processes_.contains(name));
    addresses_.emplace(name, network.join(name));
    auto result = std::make_unique<process>(simulation, std::move(options), std::move(on_start));
    return *processes_.emplace(name, std::move(result)).first->second;
}

process& cluster::at(const std::string& name) {
    const auto it = processes_.find(name);
    MUSTER_ASSERT(it != processes_.end());
    return *it->second;
}

clock_faults cluster::draw_clock(const std::string& name) {
    prng& random = simulation.random("clock of " + name);
    const auto below = [&random](std::int64_t bound) {
        return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(bound)));
    };
    return {
        .offset = std::chrono::milliseconds(below(1'000'000'000)),
        .drift_per_million = below(201) - 100,
        .wall_offset = std::chrono::milliseconds(below(2001) - 1000),
    };
}

void cluster::isolate(const std::string& name, direction direction) {
    for (const auto& [other, host_address] : addresses_) {
        if (other != name) network.cut(address_of(name), host_address, direction);
    }
}

}  // namespace muster::sim
