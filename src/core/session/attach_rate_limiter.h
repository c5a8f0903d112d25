#pragma once

#include "base/assert.h"
#include "base/time.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace muster::session {

// Limits the rate of attaches. Each refused agent gets a retry time of its own, one interval after
// the previous one, so that a reconnect storm is spread out. No retry time exceeds `wait_max`.
// Not thread-safe.
class attach_rate_limiter {
public:
    struct options {
        std::uint32_t rate = 1000;  // attaches a second
        std::uint32_t burst = 200;
        monotonic::duration wait_max = std::chrono::seconds(60);
    };

    explicit attach_rate_limiter(options options)
        : options_(options),
          interval_(monotonic::duration(std::chrono::seconds(1)) / options.rate) {
        MUSTER_ASSERT(options.rate > 0);
        MUSTER_ASSERT(options.burst > 0);
    }

    // Nothing if the agent may attach; otherwise the time until it should retry.
    std::optional<monotonic::duration> try_acquire(instant now) {
        const auto earliest = now - interval_ * (options_.burst - 1);
        due_ = std::max(due_, earliest);
        if (due_ <= now) {
            due_ += interval_;
            return std::nullopt;
        }
        last_retry_ = std::max(last_retry_, now);
        last_retry_ = std::min(last_retry_ + interval_, now + options_.wait_max);
        return last_retry_ - now;
    }

private:
    options options_;
    monotonic::duration interval_;
    instant due_ = instant::min() + std::chrono::hours(1);  // when the next attach is allowed
    instant last_retry_;                                    // the latest retry time handed out
};

}  // namespace muster::session
