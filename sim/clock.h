#pragma once

#include "ports/clock.h"
#include "sim/world.h"

#include <chrono>
#include <cstdint>

namespace muster::sim {

// How a process's clocks differ from the world's true time.
struct clock_faults {
    monotonic::duration offset{};        // of the monotonic clock: its origin means nothing anyway
    std::int64_t drift_per_million = 0;  // how much faster it runs than true time
    std::chrono::microseconds wall_offset{};
};

// A process's view of time.
class process_clock final : public clock {
public:
    // Before this nothing happens: true wall time when the simulation begins.
    static constexpr wall_time wall_start{
        std::chrono::sys_days{std::chrono::year{2031} / std::chrono::March / 14}};

    process_clock(world& where, clock_faults faults) : where_(where), faults_(faults) {}

    // Timers belong to one life, so that they die with it.
    void begin(life& whose) { whose_ = &whose; }

    instant now() const override;
    wall_time wall() const override;
    async<void> sleep_until(instant when) override;

    // As sleep_until, without a coroutine.
    void call_at(instant when, action action);
    void call_after(monotonic::duration delay, action action) {
        call_at(now() + delay, std::move(action));
    }

    // An operator or NTP sets the wall clock.
    void step_wall(std::chrono::microseconds by) { faults_.wall_offset += by; }

private:
    instant true_time_of(instant local) const;

    world& where_;
    clock_faults faults_;
    life* whose_ = nullptr;
};

}  // namespace muster::sim
