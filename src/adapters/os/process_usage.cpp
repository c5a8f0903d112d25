#include "adapters/os/process_usage.h"

#include <sys/resource.h>

#include <fstream>
#include <sched.h>
#include <unistd.h>

namespace muster::os {
namespace {

double seconds_of(const timeval& span) {
    return static_cast<double>(span.tv_sec) + static_cast<double>(span.tv_usec) / 1e6;
}

std::int64_t allowed_cores() {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (::sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return 1;
    return CPU_COUNT(&allowed);
}

}  // namespace

process_usage read_process_usage() {
    process_usage now;
    rusage used{};
    if (::getrusage(RUSAGE_SELF, &used) == 0)
        now.cpu_seconds = seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
    std::ifstream statm("/proc/self/statm");
    std::int64_t total = 0;
    std::int64_t resident = 0;
    if (statm >> total >> resident) now.memory_bytes = resident * ::sysconf(_SC_PAGESIZE);
    now.cores = allowed_cores();
    return now;
}

}  // namespace muster::os
