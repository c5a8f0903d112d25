#pragma once

#include "base/prng.h"
#include "base/time.h"

#include <algorithm>
#include <cstdint>

namespace muster {

// Computes the pause before the next attempt. The ceiling doubles from `first` up to `longest`.
// Each pause is drawn uniformly from (0, ceiling] ("full jitter"), so that clients that failed
// together do not retry together.
class backoff {
public:
    struct options {
        monotonic::duration first = std::chrono::milliseconds(100);
        monotonic::duration longest = std::chrono::seconds(30);
    };

    backoff(options options, prng random) : options_(options), random_(random) {}

    monotonic::duration next() {
        const auto ceiling = ceiling_;
        ceiling_ = std::min(ceiling_ * 2, options_.longest);
        const auto pause = random_.below(static_cast<std::uint64_t>(ceiling.count()));
        return monotonic::duration(static_cast<monotonic::rep>(pause) + 1);
    }

    void reset() { ceiling_ = options_.first; }

private:
    options options_;
    prng random_;
    monotonic::duration ceiling_ = options_.first;
};

}  // namespace muster
