#pragma once

#include "ports/clock.h"
#include "runtime/async_event.h"

#include <optional>

namespace muster::runtime {

// Who waits for deadlines with a deadline_timer.
class deadline_owner {
public:
    virtual ~deadline_owner() = default;

    virtual std::optional<instant> next_deadline()
        const = 0;                    // nothing: none until rearm(), ring()
    virtual void deadline_due() = 0;  // the deadline has come, or somebody rang
};

// The one timer of a machine of core/: rings no later than the machine's next deadline, wherever
// that moves. Not thread-safe; use it from one strand.
class deadline_timer {
public:
    explicit deadline_timer(muster::clock& clock) : clock_(clock) {}
    deadline_timer(const deadline_timer&) = delete;
    deadline_timer& operator=(const deadline_timer&) = delete;

    // Until it is cancelled.
    boost::asio::awaitable<void> run(deadline_owner* owner);

    // The deadline may have moved. Costs nothing unless it comes before the one that is waited for.
    void rearm(std::optional<instant> deadline) {
        if (deadline && *deadline < armed_for_) moved_.ring();
    }
    // Due now, whatever the deadline.
    void ring() {
        rung_ = true;
        if (armed_for_ > instant::min()) moved_.ring();
    }

private:
    muster::clock& clock_;
    async_event moved_;
    bool rung_ = false;
    instant armed_for_ = instant::min();  // while it waits; otherwise it looks again anyway
};

}  // namespace muster::runtime
