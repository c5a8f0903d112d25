#include "runtime/async_event.h"

namespace muster::runtime {

async<void> async_event::wait() {
    return await_callback<void>([this](completion<void> done) {
        {
            const std::scoped_lock lock(mutex_);
            if (!notified_) {
                waiter_ = std::move(done);
                return;
            }
            notified_ = false;
        }
        done({});
    });
}

}  // namespace muster::runtime
