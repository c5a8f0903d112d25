#pragma once

#include "base/prng.h"
#include "base/time.h"

#include <algorithm>
#include <cstdint>

namespace muster {

// How long to wait before the next attempt: doubling from `first` up to `longest`, each wait drawn
// uniformly from (0, ceiling] ("full jitter"), so that many who failed together do not return
// together.
class backoff {
public:
    struct options {
        monotonic::duration first = std::chrono::milliseconds(100);
        monotonic::duration longest = std::chrono::seconds(30);
    };

    backoff(options limits, prng random) : limits_(limits), random_(random) {}

    monotonic::duration next() {
        const auto ceiling = ceiling_;
        ceiling_ = std::min(ceiling_ * 2, limits_.longest);
        const auto drawn = random_.below(static_cast<std::uint64_t>(ceiling.count()));
        return monotonic::duration(static_cast<monotonic::rep>(drawn) + 1);
    }

    void reset() { ceiling_ = limits_.first; }

private:
    options limits_;
    prng random_;
    monotonic::duration ceiling_ = limits_.first;
};

}  // namespace muster
