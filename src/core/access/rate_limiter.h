#pragma once

#include "base/time.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

namespace muster::access {

// How often something may happen: `burst` at once, and one more each `interval` after that.
struct rate {
    monotonic::duration interval;
    std::uint32_t burst = 1;
};

// Enforces one rate. Stores only the time when all permits taken so far are paid for.
class rate_meter {
public:
    // Nothing: a permit was taken. Otherwise the time to wait.
    std::optional<monotonic::duration> take(const rate& allowed, instant now);

    // Returns the permit just taken.
    void return_unused(const rate& allowed) { paid_at_ -= allowed.interval; }

    // Whether all permits are available.
    bool is_idle(instant now) const { return paid_at_ <= now; }

private:
    instant paid_at_{};
};

// One rate per client and one for all together. Remembers a bounded number of clients; beyond it
// the oldest are dropped, and only the common rate limits them. Not thread-safe.
class rate_limiter {
public:
    using key = std::array<unsigned char, 16>;  // an address, say
    struct limits {
        rate each;
        rate all;
        std::size_t remembered_max = 100'000;
    };
    enum class bound { each, all };
    struct refusal {
        bound limit;
        monotonic::duration wait;
    };

    explicit rate_limiter(limits bounds);

    // Nothing: the client may go on.
    std::optional<refusal> take(const key& client, instant now);
    // For clients that stand for many, such as a proxy: only the common rate applies.
    std::optional<refusal> take_for_all(instant now);
    // Returns the client's own permit.
    void return_unused(const key& client) { meter_of(client).return_unused(bounds_.each); }

    std::size_t remembered() const { return young_.size() + old_.size(); }

private:
    rate_meter& meter_of(const key& client);

    limits bounds_;
    rate_meter all_;
    // Two generations: when the young one is full, the old one is dropped.
    std::map<key, rate_meter> young_;
    std::map<key, rate_meter> old_;
};

}  // namespace muster::access
