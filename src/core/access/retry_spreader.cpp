#include "core/access/retry_spreader.h"

#include <algorithm>

namespace muster::access {

std::optional<monotonic::duration> retry_spreader::take(instant now) {
    if (!meter_.take(bounds_.turns, now)) return std::nullopt;
    booked_until_ = std::max(booked_until_, now) + bounds_.turns.interval;
    booked_until_ = std::min(booked_until_, now + bounds_.wait_max);
    return spread(booked_until_ - now);
}

monotonic::duration retry_spreader::idle_wait() {
    return spread(bounds_.wait_min * 3);
}

// Adds up to half of the wait, so that equal bookings do not end together.
monotonic::duration retry_spreader::spread(monotonic::duration wait) {
    const auto wait_min = std::max(wait, bounds_.wait_min);
    const auto jitter = random_.below(static_cast<std::uint64_t>(wait_min.count() / 2) + 1);
    return wait_min + monotonic::duration(static_cast<monotonic::rep>(jitter));
}

}  // namespace muster::access
