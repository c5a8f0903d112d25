#pragma once

#include "core/model/node.h"

#include <cstdint>
#include <map>

namespace muster::placement {

// What a node's load report tells of a span of time.
struct load_sample {
    double systems = 0;      // attached, on average
    double cpu_seconds = 0;  // used by the server's process
    double seconds = 0;      // how long the span was
    double cores = 1;
};

// How many systems each node could carry, relative to the others, by what they cost it.
//
// A node's capacity is its cores times the systems it serves per core in use. Samples are smoothed;
// a node that nobody measured yet, or that serves too few systems to tell, counts as the median.
// Nobody counts for less than a quarter or more than four times of the median. Small changes are
// not followed, since every change moves systems. Pure.
class capacity_gauge {
public:
    static constexpr std::uint64_t median_capacity = 1024;
    static constexpr double smoothing = 0.1;        // weight of the newest sample
    static constexpr double change_worth = 0.15;    // below that the capacity stays
    static constexpr double systems_to_tell = 100;  // a sample of fewer says nothing
    static constexpr double cpu_to_tell = 0.005;    // seconds a second

    void observe(node_number node, const load_sample& load_sample);
    void forget(node_number node);

    // Of nodes relative to each other, `median_capacity` in the middle; those not in the map have
    // `median_capacity`, too.
    std::map<node_number, std::uint64_t> capacities();

private:
    std::map<node_number, double> measured_;     // smoothed, in systems
    std::map<node_number, std::uint64_t> told_;  // what capacities() last said
};

}  // namespace muster::placement
