#pragma once

#include "base/assert.h"
#include "base/time.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace muster::session {

// Lets so many agents in a second. Each one that finds it closed is given a time of its own to come
// again, one after the other, so that a storm comes back as a queue and not as the next storm.
// Bounded: nobody waits longer than `wait_max`.
class attach_rate_limiter {
public:
    struct options {
        std::uint32_t rate = 1000;  // a second
        std::uint32_t burst = 200;
        monotonic::duration wait_max = std::chrono::seconds(60);
    };

    explicit attach_rate_limiter(options options)
        : options_(options),
          interval_(monotonic::duration(std::chrono::seconds(1)) / options.rate) {
        MUSTER_ASSERT(options.rate > 0);
        MUSTER_ASSERT(options.burst > 0);
    }

    // Nothing: come in. Otherwise: not before this has passed.
    std::optional<monotonic::duration> enter(instant now) {
        const auto earliest = now - interval_ * (options_.burst - 1);
        due_ = std::max(due_, earliest);
        if (due_ <= now) {
            due_ += interval_;
            return std::nullopt;
        }
        turn_ = std::max(turn_, now);
        turn_ = std::min(turn_ + interval_, now + options_.wait_max);
        return turn_ - now;
    }

private:
    options options_;
    monotonic::duration interval_;
    instant due_ = instant::min() + std::chrono::hours(1);  // when the next one may come in
    instant turn_;                                          // the last time given to somebody
};

}  // namespace muster::session
