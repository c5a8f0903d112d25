#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace muster::agent {

// When a machine is too busy for more work. Zero: it never is.
struct load_limits {
    double load_max = 0;                // the one-minute average, for each core
    std::uint64_t free_memory_min = 0;  // bytes that can be had without swapping
};

// Why nothing should be begun now; empty when it may. `proc` is /proc.
std::string overload_reason(const load_limits& limits, const std::filesystem::path& proc);

}  // namespace muster::agent
