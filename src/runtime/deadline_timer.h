#pragma once

#include "ports/clock.h"
#include "runtime/async_event.h"

#include <functional>
#include <optional>

namespace muster::runtime {

// The one timer of a machine of core/: rings no later than the machine's next deadline, wherever
// that moves. Not thread-safe; use it from one strand.
class deadline_timer {
public:
    explicit deadline_timer(clock& time) : clock_(time) {}
    deadline_timer(const deadline_timer&) = delete;
    deadline_timer& operator=(const deadline_timer&) = delete;

    struct handlers {
        std::function<std::optional<instant>()> deadline;  // nothing: none until rearm() or ring()
        std::function<void()> due;  // the deadline has come, or somebody rang
    };
    // Until it is cancelled.
    boost::asio::awaitable<void> run(handlers of);

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
    clock& clock_;
    async_event moved_;
    bool rung_ = false;
    instant armed_for_ = instant::min();  // while it waits; otherwise it looks again anyway
};

}  // namespace muster::runtime
