#pragma once

#include "ports/async.h"

#include <mutex>
#include <utility>

namespace muster::runtime {

// Wakes the one coroutine that waits, or the next one that will. notify() may be called from any
// thread. A wait may end spuriously, so wait in a loop that checks a condition.
class async_event {
public:
    void notify() {
        completion<void> waiter;
        {
            const std::scoped_lock lock(mutex_);
            notified_ = true;
            waiter = std::exchange(waiter_, nullptr);
        }
        if (waiter) waiter({});
    }

    // One wait at a time; a cancelled one is replaced by the next. The event must outlive it.
    async<void> wait();

private:
    std::mutex mutex_;
    bool notified_ = false;
    completion<void> waiter_;
};

}  // namespace muster::runtime
