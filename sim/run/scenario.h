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

// How a fault strikes in a scenario. Faults of a place (a sync, a read) need the odds only; the
// others are thought of `every` so often and last up to `lasts`.
struct fault_plan {
    fault_odds odds;
    monotonic::duration every = std::chrono::seconds(10);
    monotonic::duration lasts = std::chrono::seconds(3);
};

enum class expectation : std::uint8_t { holds, is_violated };

// What is played: workloads, what goes wrong meanwhile, and how it must end. A file
// sim/scenarios/NAME.toml.
struct scenario {
    std::string name;
    std::string what;  // one sentence for people
    monotonic::duration duration = std::chrono::minutes(10);
    expectation expects = expectation::holds;
    network_options network;
    std::int64_t watch_history = 5'000;  // changes the metastore keeps for watches
    std::map<std::string, fault_plan> faults;
    std::map<std::string, workload_numbers> workloads;
    // What many seeds together must come to, or its rules were never put to the test.
    std::vector<probe> reaches;
};

// Unknown keys, faults and workloads are errors that name them and the line they stand in.
result<scenario> parse_scenario(const std::string& name, const std::string& toml);

}  // namespace muster::sim
