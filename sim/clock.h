#pragma once

#include "ports/clock.h"
#include "sim/simulation.h"

#include <chrono>
#include <cstdint>

namespace muster::sim {

// Differences between the clocks of a process and the true time of the simulation.
struct clock_faults {
    monotonic::duration offset{};        // of the monotonic clock, whose origin is arbitrary
    std::int64_t drift_per_million = 0;  // how much faster it runs than true time
    std::chrono::microseconds wall_offset{};
};

// The clock of one process, with its faults.
class process_clock final : public clock {
public:
    // True wall time at the start of the simulation.
    static constexpr wall_time wall_start{
        std::chrono::sys_days{std::chrono::year{2031} / std::chrono::March / 14}};

    process_clock(sim::simulation& simulation, clock_faults faults)
        : simulation_(simulation), faults_(faults) {}

    // Timers belong to one life and are dropped with it.
    void begin(life& owner) { owner_ = &owner; }

    instant now() const override;
    wall_time wall() const override;
    async<void> sleep_until(instant when) override;

    // Like sleep_until, without a coroutine.
    void call_at(instant when, action action);
    void call_after(monotonic::duration delay, action action) {
        call_at(now() + delay, std::move(action));
    }

    // Sets the wall clock, like an operator or NTP.
    void step_wall(std::chrono::microseconds step) { faults_.wall_offset += step; }

private:
    instant true_time_of(instant local) const;

    sim::simulation& simulation_;
    clock_faults faults_;
    life* owner_ = nullptr;
};

}  // namespace muster::sim
