#include "runtime/deadline_timer.h"

#include "ports/deadline.h"

#include <algorithm>

namespace muster::runtime {

boost::asio::awaitable<void> deadline_timer::run(deadline_owner* owner) {
    while (true) {
        const auto next = owner->next_deadline().value_or(instant::max());
        result<void> woken;
        if (!rung_) {
            armed_for_ = next;
            if (next == instant::max()) {
                woken = co_await moved_.wait();
            } else {
                // A deadline that has passed already lets others go first all the same.
                const auto left = std::max(next - clock_.now(), monotonic::duration(1));
                woken = co_await within(clock_, left, moved_.wait());
            }
            armed_for_ = instant::min();
        }
        if (!woken && woken.error().code() == errc::cancelled) co_return;
        // It may have moved, to and fro.
        if (!rung_ && clock_.now() < owner->next_deadline().value_or(instant::max())) continue;
        owner->deadline_due();
        rung_ = false;  // who rang meanwhile is being looked at already
    }
}

}  // namespace muster::runtime
