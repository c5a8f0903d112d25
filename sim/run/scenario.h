#pragma once

#include "base/result.h"
#include "base/time.h"
#include "sim/faults.h"
#include "sim/network.h"
#include "sim/probes.h"
#include "sim/workloads/workload.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace muster::sim {

// How a fault fires in a scenario. Disk faults need only the odds; the others are considered at
// intervals of about `every` and last up to `lasts`.
struct fault_plan {
    fault_odds odds;
    monotonic::duration every = std::chrono::seconds(10);
    monotonic::duration lasts = std::chrono::seconds(3);
};

enum class expectation : std::uint8_t { holds, is_violated };

// Workloads, the faults during the run, and the expected outcome. Read from
// sim/scenarios/NAME.toml.
struct scenario {
    std::string name;
    std::string description;  // one sentence
    monotonic::duration duration = std::chrono::minutes(10);
    expectation expects = expectation::holds;
    network_options network;
    std::int64_t watch_history = 5'000;  // changes the metastore keeps for watches
    std::map<std::string, fault_plan> faults;
    std::map<std::string, workload_numbers> workloads;
    // Probes that many seeds together must reach; otherwise the invariants were not tested.
    std::vector<probe> reaches;
};

// Unknown keys, faults and workloads are errors that contain their name and line.
result<scenario> parse_scenario(const std::string& name, const std::string& toml);

}  // namespace muster::sim
