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
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
    const rlimit raised{.rlim_cur = limit.rlim_max, .rlim_max = limit.rlim_max};
    if (limit.rlim_cur < limit.rlim_max && ::setrlimit(RLIMIT_NOFILE, &raised) == 0)
        return limit.rlim_max;
    return limit.rlim_cur;
}

void close_descriptors_on_exec() {
    std::error_code failure;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", failure)) {
        const auto name = entry.path().filename().string();
        int descriptor = -1;
        std::from_chars(name.data(), name.data() + name.size(), descriptor);
        if (descriptor > STDERR_FILENO) ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    }
}

}  // namespace muster::os
