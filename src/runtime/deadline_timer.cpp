#include "runtime/deadline_timer.h"

#include "ports/deadline.h"

#include <algorithm>

namespace muster::runtime {

boost::asio::awaitable<void> deadline_timer::run(deadline_owner* owner) {
    while (true) {
        const auto next = owner->next_deadline().value_or(instant::max());
        result<void> waited;
        if (!triggered_) {
            armed_for_ = next;
            if (next == instant::max()) {
                waited = co_await changed_.wait();
            } else {
                // At least one tick, so that other coroutines run even if the deadline has passed.
                const auto remaining = std::max(next - clock_.now(), monotonic::duration(1));
                waited = co_await within(clock_, remaining, changed_.wait());
            }
            armed_for_ = instant::min();
        }
        if (!waited && waited.error().code() == errc::cancelled) co_return;
        // The deadline may have moved during the wait.
        if (!triggered_ && clock_.now() < owner->next_deadline().value_or(instant::max())) continue;
        owner->deadline_due();
        triggered_ = false;  // deadline_due() has handled triggers from meanwhile, too
    }
}

}  // namespace muster::runtime
