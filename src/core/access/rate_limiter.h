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

// Keeps one rate. Holds a single instant: when everything taken so far will have been paid for.
class rate_meter {
public:
    // Nothing: taken. Otherwise how long to wait, and nothing was taken.
    std::optional<monotonic::duration> take(const rate& allowed, instant now);

    // Gives back what was just taken.
    void release_memory(const rate& allowed) { paid_at_ -= allowed.interval; }

    // Whether it is as good as new.
    bool idle(instant now) const { return paid_at_ <= now; }

private:
    instant paid_at_{};
};

// One rate a "who" and one for all together. Remembers a bounded number of whos: a flood of them
// makes it forget the ones that came longest ago, and then only the rate of all holds.
class rate_limiter {
public:
    using who = std::array<unsigned char, 16>;  // an address, say
    struct limits {
        rate each;
        rate all;
        std::size_t remembered_max = 100'000;
    };
    enum class bound { each, all };
    struct refusal {
        bound by;
        monotonic::duration wait;
    };

    explicit rate_limiter(limits bounds);

    // Nothing: go on.
    std::optional<refusal> take(const who& asking, instant now);
    // The same for somebody who stands for many, such as a proxy: only the rate of all counts.
    std::optional<refusal> take_for_all(instant now);
    // What this one took of its own rate does not count after all.
    void release_memory(const who& asking) { meter_of(asking).release_memory(bounds_.each); }

    std::size_t remembered() const { return young_.size() + old_.size(); }

private:
    rate_meter& meter_of(const who& asking);

    limits bounds_;
    rate_meter all_;
    // Two generations: when the young one is full the old one is forgotten.
    std::map<who, rate_meter> young_;
    std::map<who, rate_meter> old_;
};

}  // namespace muster::access
