#pragma once

#include "base/prng.h"
#include "base/time.h"
#include "core/access/rate_limiter.h"

#include <optional>

namespace muster::access {

// Lets a crowd in at a steady rate. Who comes too early is told when to come again, and those times
// are spread: each refusal books a later turn, so that a million who came at once come back one
// after the other and not all together.
class pacer {
public:
    struct limits {
        rate turns;
        monotonic::duration wait_min = std::chrono::seconds(1);
        monotonic::duration wait_max = std::chrono::minutes(10);
    };

    pacer(limits bounds, prng random) : bounds_(bounds), random_(random) {}

    // Nothing: it is the caller's turn.
    std::optional<monotonic::duration> take(instant now);

    // When somebody for whom there is nothing yet should come again: soon, but not with everybody.
    monotonic::duration some_time();

private:
    monotonic::duration spread(monotonic::duration around);

    limits bounds_;
    prng random_;
    rate_meter turns_;
    instant booked_until_{};
};

}  // namespace muster::access
