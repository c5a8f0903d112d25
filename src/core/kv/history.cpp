#include "core/kv/history.h"

#include "base/assert.h"

#include <algorithm>
#include <variant>

namespace muster::kv {
namespace {

std::size_t bytes_of(const change& result) {
    const auto* const now = std::get_if<written>(&result);
    return sizeof(change) + key_of(result).size() + (now != nullptr ? now->now.value.size() : 0);
}

}  // namespace

void history::append(std::span<const change> of_one_revision) {
    for (const change& result : of_one_revision) {
        MUSTER_ASSERT(changes_.empty() || revision_of(changes_.back()) <= revision_of(result));
        bytes_ += bytes_of(result);
        changes_.push_back(result);
    }
    while (changes_.size() > limits_.changes_max || bytes_ > limits_.bytes_max) {
        if (revision_of(changes_.front()) == revision_of(changes_.back())) break;
        forget_front_revision();
    }
}

std::optional<watch_event> history::since(
    std::string_view prefix, revision from, revision newest) const {
    if (from < oldest_) return compacted{oldest_};
    change_batch batch{.up_to = newest};
    auto next = std::ranges::lower_bound(changes_, from, {}, revision_of);
    revision current = from;
    for (; next != changes_.end(); ++next) {
        const revision at = revision_of(*next);
        if (at != current && batch.changes.size() >= limits_.batch_changes_max) {
            batch.up_to = current;
            break;
        }
        current = at;
        if (key_of(*next).starts_with(prefix)) batch.changes.push_back(*next);
    }
    if (batch.changes.empty()) return std::nullopt;
    return batch;
}

void history::forget_before(revision oldest) {
    while (!changes_.empty() && revision_of(changes_.front()) < oldest) forget_front_revision();
    oldest_ = std::max(oldest_, oldest);
}

void history::forget_front_revision() {
    const revision gone = revision_of(changes_.front());
    while (!changes_.empty() && revision_of(changes_.front()) == gone) {
        bytes_ -= bytes_of(changes_.front());
        changes_.pop_front();
    }
    oldest_ = std::max(oldest_, gone.next());
}

}  // namespace muster::kv
