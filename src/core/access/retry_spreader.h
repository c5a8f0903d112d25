#pragma once

#include "base/prng.h"
#include "base/time.h"
#include "core/access/rate_limiter.h"

#include <optional>

namespace muster::access {

// Admits callers at a steady rate. A refused caller gets a time to retry. Each refusal books a
// later turn, so that a million simultaneous callers return one after the other. Not thread-safe.
class retry_spreader {
public:
    struct limits {
        rate turns;
        monotonic::duration wait_min = std::chrono::seconds(1);
        monotonic::duration wait_max = std::chrono::minutes(10);
    };

    retry_spreader(limits bounds, prng random) : bounds_(bounds), random_(random) {}

    // Nothing: the caller may go on.
    std::optional<monotonic::duration> take(instant now);

    // When a caller without a result should retry: soon, but spread.
    monotonic::duration idle_wait();

private:
    monotonic::duration spread(monotonic::duration wait);

    limits bounds_;
    prng random_;
    rate_meter meter_;
    instant booked_until_{};
};

}  // namespace muster::access
