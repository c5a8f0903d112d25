#pragma once

#include "base/time.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

namespace muster::jobs {

// How fast tasks end: over the last moments, not since the beginning, because a job that waits for
// its window or was paused would never recover its rate.
class progress_meter {
public:
    static constexpr auto span = std::chrono::seconds(30);
    static constexpr auto step = std::chrono::milliseconds(500);  // between two kept samples

    void note(std::uint64_t ended, instant now);

    // A second; nothing while there is nothing to tell from.
    std::optional<double> rate(instant now) const;
    // Until so many more have ended, at this rate.
    std::optional<monotonic::duration> time_left(std::uint64_t remaining, instant now) const;

private:
    struct sample {
        instant at;
        std::uint64_t ended = 0;
    };

    std::deque<sample> kept_;  // oldest first, at most span / step and one older
};

}  // namespace muster::jobs
