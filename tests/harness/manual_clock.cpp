#include "tests/harness/manual_clock.h"

#include <utility>

namespace muster::harness {

wall_time manual_clock::wall() const {
    constexpr auto origin = std::chrono::sys_days(std::chrono::year(2026) / 1 / 1);
    return wall_time(origin)
           + std::chrono::duration_cast<std::chrono::microseconds>(now_.time_since_epoch());
}

async<void> manual_clock::sleep_until(instant when) {
    return await_callback<void>([this, when](completion<void> done) {
        if (when <= now_) {
            done({});
        } else {
            sleeping_.emplace(when, std::move(done));
        }
    });
}

void manual_clock::advance(monotonic::duration span) {
    now_ += span;
    while (!sleeping_.empty() && sleeping_.begin()->first <= now_) {
        const auto done = std::move(sleeping_.begin()->second);
        sleeping_.erase(sleeping_.begin());
        done({});
    }
}

}  // namespace muster::harness
