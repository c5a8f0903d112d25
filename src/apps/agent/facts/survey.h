#pragma once

#include "core/model/facts.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace muster::agent {

struct survey_limits {
    static constexpr std::size_t facts_max = 1000;
    static constexpr std::size_t path_bytes_max = 200;
    static constexpr std::size_t value_bytes_max = std::size_t{8} * 1024;
    static constexpr std::size_t all_bytes_max = std::size_t{128} * 1024;
    static constexpr std::size_t file_bytes_max = std::size_t{64} * 1024;  // of facts.d
    static constexpr std::size_t files_max = 100;
};

// What the agent was told to keep to. Zero: there is no such limit, and nothing is told of it.
struct kept_limits {
    std::int64_t running_max = 0;  // tasks at once
    std::int64_t load_max_percent = 0;
    std::int64_t free_memory_min = 0;  // bytes
};

struct survey_options {
    std::filesystem::path root = "/";      // where /etc, /proc and /sys are
    std::filesystem::path directory = {};  // facts.d; empty: none
    std::string contact = {};              // how the cluster comes to it; empty: not told
    kept_limits limits = {};
};

struct survey_outcome {
    facts all;
    std::vector<std::string> problems;  // what was left out, and why
};

// What there is to know about this machine: operating system, kernel, processors, memory, disks,
// addresses, names, virtualisation, when it was booted, and what the files of `directory` say.
// What cannot be read is left out. Never more than the limits allow.
survey_outcome survey(const survey_options& options);

}  // namespace muster::agent
