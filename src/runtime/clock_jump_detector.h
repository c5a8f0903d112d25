#pragma once

#include "base/result.h"
#include "base/time.h"

#include <optional>

namespace muster::runtime {

// Compares the wall clock with the monotonic one: somebody who sets the wall clock moves windows,
// certificates and lease records, and operators should hear of it. Pure: both times are arguments.
class clock_jump_detector {
public:
    explicit clock_jump_detector(monotonic::duration tolerated) : tolerated_(tolerated) {}

    // How far the wall clock jumped since the last look, when more than is tolerated.
    std::optional<monotonic::duration> look(instant now, wall_time wall);

private:
    struct sample {
        instant now;
        wall_time wall;
    };
    monotonic::duration tolerated_;
    std::optional<sample> last_;
};

// A wall clock before this version was made is wrong for sure (a dead battery, no time service).
result<void> check_wall_clock(wall_time wall);

}  // namespace muster::runtime
