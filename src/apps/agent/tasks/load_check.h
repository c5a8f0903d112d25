#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace muster::agent {

// Limits above which the machine is too busy for more tasks. Zero: no limit.
struct load_limits {
    double load_max = 0;                // one-minute average per core
    std::uint64_t free_memory_min = 0;  // bytes available without swapping
};

// Why no task should start now; empty if tasks may start. `proc` is /proc.
std::string overload_reason(const load_limits& limits, const std::filesystem::path& proc);

}  // namespace muster::agent
