#pragma once

#include "base/time.h"

#include <algorithm>
#include <cstdint>

namespace muster::session {

// How long beats took to be answered: the quality of the network to the node. It costs no
// packet of its own and needs no privilege.
struct round_trips {
    std::uint64_t count = 0;
    monotonic::duration least{};
    monotonic::duration most{};
    monotonic::duration last{};

    void took(monotonic::duration span) {
        least = count == 0 ? span : std::min(least, span);
        most = std::max(most, span);
        last = span;
        ++count;
    }
};

}  // namespace muster::session
