#include "sim/clock.h"

#include "base/assert.h"

#include <utility>

namespace muster::sim {

namespace {

constexpr std::int64_t million = 1'000'000;

// span * (1 + drift), in integers so that the result is the same everywhere.
monotonic::duration apply_drift(monotonic::duration span, std::int64_t drift_per_million) {
    const auto count = span.count();
    return monotonic::duration(
        count + count / million * drift_per_million
        + count % million * drift_per_million / million);
}

}  // namespace

instant process_clock::now() const {
    return instant(
        apply_drift(simulation_.now().time_since_epoch(), faults_.drift_per_million)
        + faults_.offset);
}

wall_time process_clock::wall() const {
    const auto elapsed =
        apply_drift(simulation_.now().time_since_epoch(), faults_.drift_per_million);
    return wall_start + std::chrono::floor<wall_time::duration>(elapsed) + faults_.wall_offset;
}

instant process_clock::true_time_of(instant local) const {
    const auto remaining = local - now();
    if (remaining.count() <= 0) return simulation_.now();
    // Rounds up: a timer must not fire early.
    auto span = monotonic::duration(static_cast<monotonic::rep>(
        static_cast<double>(remaining.count()) * million
        / static_cast<double>(million + faults_.drift_per_million)));
    const auto start = simulation_.now().time_since_epoch();
    while (apply_drift(start + span, faults_.drift_per_million) + faults_.offset
           < local.time_since_epoch()) {
        span += std::chrono::microseconds(1);
    }
    return simulation_.now() + span;
}

void process_clock::call_at(instant when, action action) {
    MUSTER_ASSERT(owner_ != nullptr);
    simulation_.at(*owner_, true_time_of(when), std::move(action));
}

async<void> process_clock::sleep_until(instant when) {
    return await_callback<void>([this, when](completion<void> done) {
        call_at(when, [done = std::move(done)] { done(result<void>()); });
    });
}

}  // namespace muster::sim
