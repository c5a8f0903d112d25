#pragma once

#include "ports/clock.h"

namespace muster::runtime {

// The clocks of the operating system. Only runtime/clock.cpp reads them.
class system_clock final : public clock {
public:
    instant now() const override;
    wall_time wall() const override;
    async<void> sleep_until(instant deadline) override;
};

// For code outside coroutines, such as the thread of an engine.
instant monotonic_now();

}  // namespace muster::runtime
