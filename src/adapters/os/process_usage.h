#pragma once

#include <cstdint>

namespace muster::os {

// Resources used by this process.
struct process_usage {
    double cpu_seconds = 0;         // since its start, all threads
    std::int64_t memory_bytes = 0;  // resident now
    std::int64_t cores = 1;         // that the process may use
};

process_usage read_process_usage();

}  // namespace muster::os
