#include "core/events/webhook_progress.h"

#include <algorithm>
#include <utility>

namespace muster::events {
namespace {

constexpr std::int64_t doublings_max = 40;

}  // namespace

webhook_progress after_delivery(webhook_progress before, const events::delivery& delivery) {
    before.position = delivery.next;
    before.delivered += delivery.events;
    before.last_delivery = delivery.at;
    before.failures = 0;
    before.last_error.clear();
    before.failing_since.reset();
    before.given_up = false;
    return before;
}

webhook_progress after_skip(webhook_progress before, const event_position& next) {
    before.position = next;
    return before;
}

webhook_progress after_failure(
    webhook_progress before, std::string reason, wall_time at, const webhook_policy& policy) {
    ++before.failures;
    before.last_error = std::move(reason);
    if (!before.failing_since) before.failing_since = at;
    before.given_up = at - *before.failing_since >= policy.give_up_after;
    return before;
}

webhook_progress after_give_up(webhook_progress before, std::string reason, wall_time at) {
    ++before.failures;
    before.last_error = std::move(reason);
    if (!before.failing_since) before.failing_since = at;
    before.given_up = true;
    return before;
}

webhook_progress after_resume(webhook_progress before) {
    before.failures = 0;
    before.failing_since.reset();
    before.given_up = false;
    return before;
}

monotonic::duration pause_after(
    const webhook_progress& failing, const webhook_policy& policy, prng& random) {
    auto ceiling = policy.first_pause;
    const auto doublings = std::min(failing.failures - 1, doublings_max);
    for (std::int64_t n = 0; n < doublings && ceiling < policy.longest_pause; ++n) ceiling *= 2;
    ceiling = std::min(ceiling, policy.longest_pause);
    const auto drawn = random.below(static_cast<std::uint64_t>(ceiling.count()));
    return monotonic::duration(static_cast<monotonic::rep>(drawn) + 1);
}

}  // namespace muster::events
