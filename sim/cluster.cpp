#include "sim/cluster.h"

#include "base/assert.h"

namespace muster::sim {

cluster::cluster(std::uint64_t seed, network_options options)
    : world(seed), network(world, options) {}

cluster::~cluster() {
    // Processes refer to each other by the network only, so they may fall in any order.
    for (auto& [name, each] : processes_) {
        if (each->running()) each->crash();
    }
}

process& cluster::add(process_options options, process::start_function on_start) {
    const std::string name = options.name;
    MUSTER_ASSERT(!processes_.contains(name));
    addresses_.emplace(name, network.join(name));
    auto result = std::make_unique<process>(world, std::move(options), std::move(on_start));
    return *processes_.emplace(name, std::move(result)).first->second;
}

process& cluster::at(const std::string& name) {
    const auto it = processes_.find(name);
    MUSTER_ASSERT(it != processes_.end());
    return *it->second;
}

clock_faults cluster::draw_clock(const std::string& name) {
    prng& random = world.random("clock of " + name);
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
    for (const auto& [other, where] : addresses_) {
        if (other != name) network.cut(address_of(name), where, direction);
    }
}

}  // namespace muster::sim
