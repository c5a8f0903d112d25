#pragma once

#include "ports/clock.h"

namespace muster::runtime {

// The machine's clocks. runtime/clock.cpp is the only place that reads them.
class system_clock final : public clock {
public:
    instant now() const override;
    wall_time wall() const override;
    async<void> sleep_until(instant when) override;
};

// For code that runs outside any coroutine, such as an engine's own thread.
instant monotonic_now();

}  // namespace muster::runtime
