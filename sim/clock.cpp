#include "sim/clock.h"

#include "base/assert.h"

#include <utility>

namespace muster::sim {

namespace {

constexpr std::int64_t million = 1'000'000;

// span * (1 + drift), in whole steps so that it is the same everywhere.
monotonic::duration drifted(monotonic::duration span, std::int64_t drift_per_million) {
    const auto count = span.count();
    return monotonic::duration(
        count + count / million * drift_per_million
        + count % million * drift_per_million / million);
}

}  // namespace

instant process_clock::now() const {
    return instant(
        drifted(where_.now().time_since_epoch(), faults_.drift_per_million) + faults_.offset);
}

wall_time process_clock::wall() const {
    const auto elapsed = drifted(where_.now().time_since_epoch(), faults_.drift_per_million);
    return wall_start + std::chrono::floor<wall_time::duration>(elapsed) + faults_.wall_offset;
}

instant process_clock::true_time_of(instant local) const {
    const auto left = local - now();
    if (left.count() <= 0) return where_.now();
    // Rounds up: waking early would be a broken promise, waking a little late is life.
    auto span = monotonic::duration(static_cast<monotonic::rep>(
        static_cast<double>(left.count()) * million
        / static_cast<double>(million + faults_.drift_per_million)));
    const auto begun = where_.now().time_since_epoch();
    while (drifted(begun + span, faults_.drift_per_million) + faults_.offset
           < local.time_since_epoch()) {
        span += std::chrono::microseconds(1);
    }
    return where_.now() + span;
}

void process_clock::call_at(instant when, action action) {
    MUSTER_ASSERT(whose_ != nullptr);
    where_.at(*whose_, true_time_of(when), std::move(action));
}

async<void> process_clock::sleep_until(instant when) {
    return completed<void>([this, when](completion<void> done) {
        call_at(when, [done = std::move(done)] { done(result<void>()); });
    });
}

}  // namespace muster::sim
