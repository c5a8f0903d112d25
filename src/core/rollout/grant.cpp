#include "core/rollout/grant.h"

#include <algorithm>

namespace muster::rollout {
namespace {

allowance smaller(const allowance& one, const allowance& other) {
    return {
        .places = std::min(one.places, other.places),
        .starts_milli = std::min(one.starts_milli, other.starts_milli)};
}

}  // namespace

void grant_holder::observe(grant seen, std::int64_t revision) {
    if (seen_ && revision <= revision_) return;
    // A write upon an older revision is in what is seen now, or can never be.
    promised_.reset();
    seen_ = std::move(seen);
    revision_ = revision;
}

std::optional<grant_holder::write> grant_holder::wish(std::uint64_t places_used) {
    if (!seen_) return std::nullopt;
    grant to = *seen_;
    if (!mine()) {
        to.holder = process_;
        return write{std::move(to), revision_};
    }
    to.ceiling = {
        .places = std::clamp(places_used, to.goal.places, to.ceiling.places),
        .starts_milli = to.goal.starts_milli};
    if (to == *seen_) return std::nullopt;
    promised_ = promised_ ? smaller(*promised_, to.ceiling) : to.ceiling;
    return write{std::move(to), revision_};
}

settlement grant_holder::settled() const {
    if (!seen_) return {};
    return {.epoch = seen_->epoch, .elsewhere = seen_->elsewhere};
}

allowance grant_holder::usable() const {
    if (!mine() || seen_->epoch < began_) return {};
    const allowance allowed = smaller(seen_->goal, seen_->ceiling);
    return promised_ ? smaller(allowed, *promised_) : allowed;
}

}  // namespace muster::rollout
