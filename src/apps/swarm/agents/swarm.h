#pragma once

#include "apps/swarm/agents/swarm_agent.h"
#include "runtime/clock.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace muster::swarm {

struct swarm_options {
    std::vector<std::string> entries;
    std::filesystem::path ca;
    std::uint64_t count = 100;
    std::uint64_t first = 0;  // swarms on several machines take different numbers
    double rate = 200;        // agents started a second
    std::string seed = "swarm";
    std::string name_prefix = "swarm-";
    std::string activation_key;
    std::size_t loops = 1;
    std::size_t payload = 0;              // bytes of each task's output; 0: a few
    std::chrono::seconds hold{0};         // from the start; 0: until a signal
    std::filesystem::path attached_file;  // written when all are attached, for scripts
};

// The key of an agent follows from seed and number, so a swarm that is started again is the same.
result<pki::private_key> key_of(const std::string& seed, std::uint64_t number);

// Runs a swarm until its time is over or a signal comes; prints a line a second and a summary.
// Whether all agents were attached at the end.
result<bool> run_swarm(swarm_options options);

}  // namespace muster::swarm
