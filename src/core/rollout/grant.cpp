#include "core/rollout/grant.h"

#include <algorithm>

namespace muster::rollout {

void grant_holder::observe(grant grant, std::int64_t revision) {
    if (seen_ && revision <= revision_) return;
    seen_ = std::move(grant);
    revision_ = revision;
}

std::optional<grant_holder::write> grant_holder::wish(std::uint64_t places_used) const {
    if (!seen_) return std::nullopt;
    grant to = *seen_;
    if (to.holder != process_) {
        to.holder = process_;
        return write{std::move(to), revision_};
    }
    if (!settled_in()) return std::nullopt;
    to.ceiling = {
        .places = std::clamp(places_used, to.goal.places, to.ceiling.places),
        .starts_milli = to.goal.starts_milli};
    if (to == *seen_) return std::nullopt;
    return write{std::move(to), revision_};
}

settlement grant_holder::settled() const {
    if (!seen_) return {};
    return {.epoch = seen_->epoch, .elsewhere = seen_->elsewhere};
}

allowance grant_holder::usable() const {
    return settled_in() ? seen_->goal : allowance{};
}

}  // namespace muster::rollout
