#pragma once

#include "base/result.h"
#include "sim/probes.h"
#include "sim/run/scenario.h"
#include "sim/trace.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace muster::sim {

struct run_options {
    std::uint64_t seed = 1;
    monotonic::duration duration{};
    trace::printer print;  // each line of the trace; may be empty
};

struct run_outcome {
    bool passed = false;
    std::vector<std::string> violations;
    std::uint64_t hash = 0;
    std::uint64_t events = 0;
    monotonic::duration simulated{};
    std::string summary;  // what the workloads did
    std::map<std::string, std::uint64_t> faults_fired;
    sim::probes probes;
};

// Runs a scenario once: faults for the given time, then a quiet period, then the final checks.
// Stops at the first violation.
result<run_outcome> run(const scenario& scenario, run_options options);

}  // namespace muster::sim
