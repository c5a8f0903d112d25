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
    std::uint64_t first = 0;  // number of the first agent; differs between machines
    double rate = 200;        // agents started per second
    std::string seed = "swarm";
    std::string name_prefix = "swarm-";
    std::string activation_key;
    std::size_t loops = 1;
    std::size_t payload = 0;              // bytes of each task's output; 0: a few
    std::chrono::seconds hold{0};         // run time; 0: until a signal
    std::filesystem::path attached_file;  // written when all agents are attached, for scripts
};

// Derives an agent's key from seed and number, so that a restarted swarm has the same agents.
result<pki::private_key> derive_key(const std::string& seed, std::uint64_t number);

// Runs a swarm for its run time or until a signal; prints a line per second and a summary. Returns
// true if all agents were attached at the end.
result<bool> run_swarm(swarm_options options);

}  // namespace muster::swarm
