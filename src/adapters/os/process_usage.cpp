#include "adapters/os/process_usage.h"

#include <sys/resource.h>

#include <fstream>
#include <sched.h>
#include <unistd.h>

namespace muster::os {
namespace {

double to_seconds(const timeval& duration) {
    return static_cast<double>(duration.tv_sec) + static_cast<double>(duration.tv_usec) / 1e6;
}

std::int64_t allowed_cores() {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (::sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return 1;
    return CPU_COUNT(&allowed);
}

}  // namespace

process_usage read_process_usage() {
    process_usage usage;
    rusage resources{};
    if (::getrusage(RUSAGE_SELF, &resources) == 0)
        usage.cpu_seconds = to_seconds(resources.ru_utime) + to_seconds(resources.ru_stime);
    std::ifstream statm("/proc/self/statm");
    std::int64_t total = 0;
    std::int64_t resident = 0;
    if (statm >> total >> resident) usage.memory_bytes = resident * ::sysconf(_SC_PAGESIZE);
    usage.cores = allowed_cores();
    return usage;
}

}  // namespace muster::os
