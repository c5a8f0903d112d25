#pragma once

#include "base/time.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

namespace muster::jobs {

// The rate at which tasks of a job end, over the last seconds. A rate since the start of the job
// would stay too low after a pause or a wait for a window. Not thread-safe.
class progress_meter {
public:
    static constexpr auto span = std::chrono::seconds(30);
    static constexpr auto step = std::chrono::milliseconds(500);  // between two samples

    void add_sample(std::uint64_t ended, instant now);

    // Tasks a second; nothing without enough samples.
    std::optional<double> rate(instant now) const;
    // Time until `remaining` more tasks have ended, at this rate.
    std::optional<monotonic::duration> time_left(std::uint64_t remaining, instant now) const;

private:
    struct sample {
        instant at;
        std::uint64_t ended = 0;
    };

    std::deque<sample> samples_;  // oldest first; those of `span`, and one older
};

}  // namespace muster::jobs
