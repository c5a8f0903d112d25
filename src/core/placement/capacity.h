#pragma once

#include "core/model/node.h"

#include <cstdint>
#include <map>

namespace muster::placement {

// The load of a node over a span of time.
struct load_sample {
    double systems = 0;      // attached systems, on average
    double cpu_seconds = 0;  // used by the server process
    double seconds = 0;      // length of the span
    double cores = 1;
};

// Estimates the relative capacity of nodes from their measured load.
//
// The capacity of a node is its cores times the systems it serves per core in use. Samples are
// smoothed. A node without samples, or with too few systems, gets the median. Capacities stay
// between a quarter and four times of the median. Small changes are ignored, because every change
// moves systems. Pure; not thread-safe.
class capacity_gauge {
public:
    static constexpr std::uint64_t median_capacity = 1024;
    static constexpr double smoothing = 0.1;    // weight of the newest sample
    static constexpr double change_min = 0.15;  // smaller relative changes are ignored
    static constexpr double systems_min = 100;  // samples with fewer systems are ignored
    static constexpr double cpu_min = 0.005;    // seconds a second

    void observe(node_number node, const load_sample& sample);
    void forget(node_number node);

    // Relative capacities around `median_capacity`. A node that is not in the map has
    // `median_capacity`.
    std::map<node_number, std::uint64_t> capacities();

private:
    std::map<node_number, double> measured_;         // smoothed, in systems
    std::map<node_number, std::uint64_t> reported_;  // last result of capacities()
};

}  // namespace muster::placement
