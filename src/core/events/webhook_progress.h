#pragma once

#include "base/prng.h"
#include "base/time.h"
#include "core/events/event_position.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace muster::events {

// How far a webhook's receiver has been told, and how it is with it. Nothing is ever skipped: a
// receiver that does not take its events stays where it is until it does or somebody removes it.
struct webhook_progress {
    event_position position;
    std::int64_t delivered = 0;  // events it has taken
    std::int64_t failures = 0;   // attempts since it last took some
    std::string last_error;      // of those
    std::optional<wall_time> failing_since;
    std::optional<wall_time> last_delivery;
    bool given_up = false;  // no further attempts until somebody resumes it

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
webhook_progress delivered(webhook_progress before, const delivery& done);
// Read on without anything to deliver: what lies between was for others.
webhook_progress passed(webhook_progress before, const event_position& next);
webhook_progress failed(
    webhook_progress before, std::string why, wall_time at, const webhook_policy& webhook_policy);
// No attempt could ever succeed: at once, and for everybody to see.
webhook_progress given_up(webhook_progress before, std::string why, wall_time at);
// Somebody says that it shall be tried again, at once.
webhook_progress resumed(webhook_progress before);

// How long to wait before the next attempt: drawn from (0, ceiling], where the ceiling doubles with
// each failure, so that receivers of many hooks that failed together are not met together.
monotonic::duration pause_after(
    const webhook_progress& failing, const webhook_policy& webhook_policy, prng& random);

}  // namespace muster::events
