#pragma once

#include "ports/clock.h"
#include "runtime/async_event.h"

#include <optional>

namespace muster::runtime {

// Uses a deadline_timer.
class deadline_owner {
public:
    virtual ~deadline_owner() = default;

    virtual std::optional<instant> next_deadline()
        const = 0;                    // nothing: wait for rearm() or trigger()
    virtual void deadline_due() = 0;  // the deadline has passed, or trigger() was called
};

// The timer of a machine of core/. Calls deadline_due() at the machine's next deadline, also when
// the deadline moves. Not thread-safe; use it from one strand.
class deadline_timer {
public:
    explicit deadline_timer(muster::clock& clock) : clock_(clock) {}
    deadline_timer(const deadline_timer&) = delete;
    deadline_timer& operator=(const deadline_timer&) = delete;

    // Runs until it is cancelled.
    boost::asio::awaitable<void> run(deadline_owner* owner);

    // The deadline may have moved. Cheap unless it is earlier than the one the timer waits for.
    void rearm(std::optional<instant> deadline) {
        if (deadline && *deadline < armed_for_) changed_.notify();
    }
    // Calls deadline_due() soon, regardless of the deadline.
    void trigger() {
        triggered_ = true;
        if (armed_for_ > instant::min()) changed_.notify();
    }

private:
    muster::clock& clock_;
    async_event changed_;
    bool triggered_ = false;
    instant armed_for_ = instant::min();  // set while run() waits
};

}  // namespace muster::runtime
