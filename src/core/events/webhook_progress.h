#pragma once

#include "base/prng.h"
#include "base/time.h"
#include "core/events/event_position.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace muster::events {

// Delivery progress of a webhook. No event is skipped: a receiver that refuses its events stays at
// its position until it accepts them or the webhook is removed.
struct webhook_progress {
    event_position position;
    std::int64_t delivered = 0;  // events that the receiver accepted
    std::int64_t failures = 0;   // failed attempts since the last delivery
    std::string last_error;      // of these attempts
    std::optional<wall_time> failing_since;
    std::optional<wall_time> last_delivery;
    bool given_up = false;  // no further attempts until a user resumes the webhook

    friend bool operator==(const webhook_progress&, const webhook_progress&) = default;
};

struct webhook_policy {
    monotonic::duration first_pause = std::chrono::seconds(1);
    monotonic::duration longest_pause = std::chrono::minutes(5);
    std::chrono::hours give_up_after{72};
};

struct delivery {
    event_position next;
    std::int64_t events = 0;
    wall_time at;
};
webhook_progress after_delivery(webhook_progress before, const events::delivery& delivery);
// Moves on without a delivery: the filter matched no event in between.
webhook_progress after_skip(webhook_progress before, const event_position& next);
webhook_progress after_failure(
    webhook_progress before, std::string reason, wall_time at, const webhook_policy& policy);
// No attempt can succeed: stops the webhook at once.
webhook_progress after_give_up(webhook_progress before, std::string reason, wall_time at);
// A user resumes the webhook; the next attempt is immediate.
webhook_progress after_resume(webhook_progress before);

// Wait before the next attempt, random in (0, ceiling]. The ceiling doubles with each failure; the
// randomness spreads webhooks that failed together.
monotonic::duration pause_after(
    const webhook_progress& failing, const webhook_policy& policy, prng& random);

}  // namespace muster::events
