#include "adapters/os/descriptors.h"

#include <sys/resource.h>

#include <charconv>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <system_error>
#include <unistd.h>

namespace muster::os {

std::size_t raise_descriptor_limit() {
    rlimit now{};
    if (::getrlimit(RLIMIT_NOFILE, &now) != 0) return 0;
    const rlimit desired{.rlim_cur = now.rlim_max, .rlim_max = now.rlim_max};
    if (now.rlim_cur < now.rlim_max && ::setrlimit(RLIMIT_NOFILE, &desired) == 0)
        return now.rlim_max;
    return now.rlim_cur;
}

void close_descriptors_on_exec() {
    std::error_code failure;
    for (const auto& each : std::filesystem::directory_iterator("/proc/self/fd", failure)) {
        const auto name = each.path().filename().string();
        int descriptor = -1;
        std::from_chars(name.data(), name.data() + name.size(), descriptor);
        if (descriptor > STDERR_FILENO) ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    }
}

}  // namespace muster::os
