#include "apps/agent/tasks/load_check.h"

#include <fmt/format.h>

#include <fstream>
#include <optional>
#include <thread>

namespace muster::agent {
namespace {

std::optional<double> load_in(const std::filesystem::path& proc) {
    std::ifstream in(proc / "loadavg");
    double load = 0;
    if (!(in >> load)) return std::nullopt;
    return load;
}

std::optional<std::uint64_t> free_memory_in(const std::filesystem::path& proc) {
    std::ifstream in(proc / "meminfo");
    std::string name;
    std::uint64_t kibibytes = 0;
    std::string unit;
    while (in >> name >> kibibytes) {
        if (name == "MemAvailable:") return kibibytes * 1024;
        std::getline(in, unit);
    }
    return std::nullopt;
}

}  // namespace

std::string overload_reason(const load_limits& limits, const std::filesystem::path& proc) {
    if (limits.load_max > 0) {
        const auto most = limits.load_max * std::max(1U, std::thread::hardware_concurrency());
        const auto load = load_in(proc);
        if (load && *load > most)
            return fmt::format("the machine's load is {:.2f}, over {:.2f}", *load, most);
    }
    if (limits.free_memory_min > 0) {
        const auto left = free_memory_in(proc);
        if (left && *left < limits.free_memory_min)
            return fmt::format(
                "the machine has {} MiB of free memory, less than {}",
                *left >> 20U,
                limits.free_memory_min >> 20U);
    }
    return {};
}

}  // namespace muster::agent
