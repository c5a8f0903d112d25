#pragma once

#include "core/model/facts.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace muster::agent {

struct fact_limits {
    static constexpr std::size_t facts_max = 1000;
    static constexpr std::size_t path_bytes_max = 200;
    static constexpr std::size_t value_bytes_max = std::size_t{8} * 1024;
    static constexpr std::size_t all_bytes_max = std::size_t{128} * 1024;
    static constexpr std::size_t file_bytes_max = std::size_t{64} * 1024;  // of facts.d
    static constexpr std::size_t files_max = 100;
};

// Limits that the agent keeps, reported as facts. Zero: no limit, not reported.
struct agent_limits {
    std::int64_t running_max = 0;  // tasks at once
    std::int64_t load_max_percent = 0;
    std::int64_t free_memory_min = 0;  // bytes
};

struct fact_options {
    std::filesystem::path root = "/";      // directory of /etc, /proc and /sys
    std::filesystem::path directory = {};  // facts.d; empty: none
    std::string contact = {};              // contact method of the cluster; empty: not reported
    agent_limits limits = {};
};

struct collected_facts {
    facts values;
    std::vector<std::string> problems;  // facts that were left out, and why
};

// Collects the facts of this machine: operating system, kernel, processors, memory, disks,
// addresses, names, virtualisation, boot time, and the files of `directory`. Leaves out facts that
// cannot be read or exceed the limits.
collected_facts collect_facts(const fact_options& options);

}  // namespace muster::agent
