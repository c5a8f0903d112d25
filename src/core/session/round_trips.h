#pragma once

#include "base/time.h"

#include <algorithm>
#include <cstdint>

namespace muster::session {

// Round-trip times of heartbeats: the quality of the network to the node. Needs no extra packets
// and no privileges.
struct round_trips {
    std::uint64_t count = 0;
    monotonic::duration shortest{};
    monotonic::duration longest{};
    monotonic::duration last{};

    void add(monotonic::duration span) {
        shortest = count == 0 ? span : std::min(shortest, span);
        longest = std::max(longest, span);
        last = span;
        ++count;
    }
};

}  // namespace muster::session
