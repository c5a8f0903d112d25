#include "adapters/os/descriptors.h"

#include <sys/resource.h>

namespace muster::os {

std::size_t raise_descriptor_limit() {
    rlimit now{};
    if (::getrlimit(RLIMIT_NOFILE, &now) != 0) return 0;
    const rlimit desired{.rlim_cur = now.rlim_max, .rlim_max = now.rlim_max};
    if (now.rlim_cur < now.rlim_max && ::setrlimit(RLIMIT_NOFILE, &desired) == 0)
        return now.rlim_max;
    return now.rlim_cur;
}

}  // namespace muster::os
