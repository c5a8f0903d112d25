#pragma once

#include <cstdio>
#include <cstdlib>

// Stays on in release builds: a process with a broken invariant must stop.
// Only for bugs. Failures that a peer, a disk or a user can cause are results (base/result.h).
#define MUSTER_ASSERT(condition)                                                                   \
    ((condition)                                                                                   \
         ? void(0)                                                                                 \
         : (std::fprintf(stderr, "%s:%d: assertion failed: %s\n", __FILE__, __LINE__, #condition), \
            std::abort()))
