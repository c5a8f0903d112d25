#include "core/events/webhook_progress.h"

#include <algorithm>
#include <utility>

namespace muster::events {
namespace {

constexpr std::int64_t doublings_max = 40;

}  // namespace

webhook_progress delivered(webhook_progress before, const delivery& done) {
    before.position = done.next;
    before.delivered += done.events;
    before.last_delivery = done.at;
    before.failures = 0;
    before.last_error.clear();
    before.failing_since.reset();
    before.given_up = false;
    return before;
}

webhook_progress passed(webhook_progress before, const event_position& next) {
    before.position = next;
    return before;
}

webhook_progress failed(
    webhook_progress before, std::string why, wall_time at, const webhook_policy& webhook_policy) {
    ++before.failures;
    before.last_error = std::move(why);
    if (!before.failing_since) before.failing_since = at;
    before.given_up = at - *before.failing_since >= webhook_policy.give_up_after;
    return before;
}

webhook_progress given_up(webhook_progress before, std::string why, wall_time at) {
    ++before.failures;
    before.last_error = std::move(why);
    if (!before.failing_since) before.failing_since = at;
    before.given_up = true;
    return before;
}

webhook_progress resumed(webhook_progress before) {
    before.failures = 0;
    before.failing_since.reset();
    before.given_up = false;
    return before;
}

monotonic::duration pause_after(
    const webhook_progress& failing, const webhook_policy& webhook_policy, prng& random) {
    auto ceiling = webhook_policy.first_pause;
    const auto doublings = std::min(failing.failures - 1, doublings_max);
    for (std::int64_t n = 0; n < doublings && ceiling < webhook_policy.longest_pause; ++n)
        ceiling *= 2;
    ceiling = std::min(ceiling, webhook_policy.longest_pause);
    const auto drawn = random.below(static_cast<std::uint64_t>(ceiling.count()));
    return monotonic::duration(static_cast<monotonic::rep>(drawn) + 1);
}

}  // namespace muster::events
