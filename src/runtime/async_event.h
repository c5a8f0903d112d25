#pragma once

#include "ports/async.h"

#include <mutex>
#include <utility>

namespace muster::runtime {

// "Look again": wakes the one coroutine that waits, or the next one that will. May be rung from any
// thread. A wait may end without a reason, so whoever waits looks and waits again in a loop.
class async_event {
public:
    void ring() {
        completion<void> waiter;
        {
            const std::scoped_lock lock(mutex_);
            rung_ = true;
            waiter = std::exchange(waiter_, nullptr);
        }
        if (waiter) waiter({});
    }

    // One wait at a time; a cancelled one is replaced by the next. The bell must outlive it.
    async<void> wait();

private:
    std::mutex mutex_;
    bool rung_ = false;
    completion<void> waiter_;
};

}  // namespace muster::runtime
