#include "core/rollout/grant.h"

#include <algorithm>

namespace muster::rollout {

void grant_holder::observe(grant record, std::int64_t revision) {
    if (record_ && revision <= revision_) return;
    record_ = std::move(record);
    revision_ = revision;
}

std::optional<grant_holder::write> grant_holder::next_write(std::uint64_t concurrency_used) const {
    if (!record_) return std::nullopt;
    grant updated = *record_;
    if (updated.holder != process_) {
        updated.holder = process_;
        return write{std::move(updated), revision_};
    }
    if (!is_settled()) return std::nullopt;
    updated.ceiling = {
        .concurrency =
            std::clamp(concurrency_used, updated.goal.concurrency, updated.ceiling.concurrency),
        .starts_milli = updated.goal.starts_milli};
    if (updated == *record_) return std::nullopt;
    return write{std::move(updated), revision_};
}

tasks_elsewhere grant_holder::elsewhere() const {
    if (!record_) return {};
    return {.epoch = record_->epoch, .count = record_->elsewhere};
}

allowance grant_holder::usable() const {
    return is_settled() ? record_->goal : allowance{};
}

}  // namespace muster::rollout
