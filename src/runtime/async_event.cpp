#include "runtime/async_event.h"

namespace muster::runtime {

async<void> async_event::wait() {
    return completed<void>([this](completion<void> done) {
        {
            const std::scoped_lock lock(mutex_);
            if (!rung_) {
                waiter_ = std::move(done);
                return;
            }
            rung_ = false;
        }
        done({});
    });
}

}  // namespace muster::runtime
