#pragma once

#include "base/time.h"
#include "ports/async.h"

namespace muster {

// The only source of time above the core. Real in production, virtual in tests and in the
// simulator.
class clock {
public:
    clock() = default;
    clock(const muster::clock&) = delete;
    muster::clock& operator=(const muster::clock&) = delete;
    virtual ~clock() = default;

    virtual instant now() const = 0;
    virtual wall_time wall() const = 0;

    // Ends with errc::cancelled when the waiting coroutine is cancelled.
    virtual async<void> sleep_until(instant deadline) = 0;

    async<void> sleep_for(monotonic::duration span) { return sleep_until(now() + span); }
};

}  // namespace muster
