#include "apps/agent/tasks/load_check.h"

#include <fmt/format.h>

#include <fstream>
#include <optional>
#include <thread>

namespace muster::agent {
namespace {

std::optional<double> read_load(const std::filesystem::path& proc) {
    std::ifstream file(proc / "loadavg");
    double load = 0;
    if (!(file >> load)) return std::nullopt;
    return load;
}

std::optional<std::uint64_t> read_free_memory(const std::filesystem::path& proc) {
    std::ifstream file(proc / "meminfo");
    std::string name;
    std::uint64_t kibibytes = 0;
    std::string unit;
    while (file >> name >> kibibytes) {
        if (name == "MemAvailable:") return kibibytes * 1024;
        std::getline(file, unit);
    }
    return std::nullopt;
}

}  // namespace

std::string overload_reason(const load_limits& limits, const std::filesystem::path& proc) {
    if (limits.load_max > 0) {
        const auto load_max = limits.load_max * std::max(1U, std::thread::hardware_concurrency());
        const auto load = read_load(proc);
        if (load && *load > load_max)
            return fmt::format(
                "load {:.2f} exceeds the limit of {:.2f} (tasks.load_max_percent)",
                *load,
                load_max);
    }
    if (limits.free_memory_min > 0) {
        const auto free_memory = read_free_memory(proc);
        if (free_memory && *free_memory < limits.free_memory_min)
            return fmt::format(
                "available memory of {} MiB is below the limit of {} MiB (tasks.free_memory_min)",
                *free_memory >> 20U,
                limits.free_memory_min >> 20U);
    }
    return {};
}

}  // namespace muster::agent
