#include "core/access/pacer.h"

#include <algorithm>

namespace muster::access {

std::optional<monotonic::duration> pacer::take(instant now) {
    if (!turns_.take(bounds_.turns, now)) return std::nullopt;
    booked_until_ = std::max(booked_until_, now) + bounds_.turns.interval;
    booked_until_ = std::min(booked_until_, now + bounds_.wait_max);
    return spread(booked_until_ - now);
}

monotonic::duration pacer::some_time() {
    return spread(bounds_.wait_min * 3);
}

// Between one and one and a half of it, so that equal bookings do not end together.
monotonic::duration pacer::spread(monotonic::duration around) {
    const auto least = std::max(around, bounds_.wait_min);
    const auto jitter = random_.below(static_cast<std::uint64_t>(least.count() / 2) + 1);
    return least + monotonic::duration(static_cast<monotonic::rep>(jitter));
}

}  // namespace muster::access
