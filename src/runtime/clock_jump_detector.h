#pragma once

#include "base/result.h"
#include "base/time.h"

#include <optional>

namespace muster::runtime {

// Detects jumps of the wall clock by comparing it with the monotonic clock. A jump moves windows,
// certificates and lease records. Pure: both times are arguments. Not thread-safe.
class clock_jump_detector {
public:
    explicit clock_jump_detector(monotonic::duration tolerance) : tolerance_(tolerance) {}

    // Returns how far the wall clock jumped since the previous check, if more than the tolerance.
    std::optional<monotonic::duration> check(instant now, wall_time wall);

private:
    struct sample {
        instant now;
        wall_time wall;
    };
    monotonic::duration tolerance_;
    std::optional<sample> previous_;
};

// Refuses a wall clock before the release date of this version (dead battery, no time service).
result<void> check_wall_clock(wall_time wall);

}  // namespace muster::runtime
