#include "core/access/rate_limiter.h"

#include "base/assert.h"

#include <algorithm>
#include <utility>

namespace muster::access {

std::optional<monotonic::duration> rate_meter::take(const rate& allowed, instant now) {
    const auto paid_at = std::max(paid_at_, now);
    const auto ahead = paid_at - now + allowed.interval;
    const auto ahead_max = allowed.interval * allowed.burst;
    if (ahead > ahead_max) return ahead - ahead_max;
    paid_at_ = paid_at + allowed.interval;
    return std::nullopt;
}

rate_limiter::rate_limiter(limits bounds) : bounds_(bounds) {
    MUSTER_ASSERT(bounds.each.burst > 0);
    MUSTER_ASSERT(bounds.all.burst > 0);
    MUSTER_ASSERT(bounds.remembered_max >= 2);
}

rate_meter& rate_limiter::meter_of(const key& client) {
    const auto it = young_.find(client);
    if (it != young_.end()) return it->second;
    if (young_.size() >= bounds_.remembered_max / 2) old_ = std::exchange(young_, {});
    auto node = old_.extract(client);
    if (node) return young_.insert(std::move(node)).position->second;
    return young_[client];
}

std::optional<rate_limiter::refusal> rate_limiter::take(const key& client, instant now) {
    auto& client_meter = meter_of(client);
    if (const auto wait = client_meter.take(bounds_.each, now))
        return refusal{.limit = bound::each, .wait = *wait};
    const auto refused = take_for_all(now);
    if (refused) client_meter.return_unused(bounds_.each);
    return refused;
}

std::optional<rate_limiter::refusal> rate_limiter::take_for_all(instant now) {
    const auto wait = all_.take(bounds_.all, now);
    if (!wait) return std::nullopt;
    return refusal{.limit = bound::all, .wait = *wait};
}

}  // namespace muster::access
