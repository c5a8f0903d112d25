#pragma once

#include "ports/clock.h"

#include <map>

namespace muster::harness {

// A clock that moves when it is told to. For one thread.
class manual_clock final : public clock {
public:
    instant now() const override { return now_; }
    wall_time wall() const override;
    async<void> sleep_until(instant when) override;

    // Ends the sleeps that are over by then; their coroutines go on when their loop turns.
    void advance(monotonic::duration span);

private:
    instant now_{std::chrono::hours(1)};
    std::multimap<instant, completion<void>> sleeping_;
};

}  // namespace muster::harness
