#include "core/kv/history.h"

#include "base/assert.h"

#include <algorithm>
#include <variant>

namespace muster::kv {
namespace {

std::size_t bytes_of(const kv::change& change) {
    const auto* const write = std::get_if<written>(&change);
    return sizeof(kv::change) + key_of(change).size()
           + (write != nullptr ? write->entry.value.size() : 0);
}

}  // namespace

void history::append(std::span<const change> revision_changes) {
    for (const kv::change& change : revision_changes) {
        MUSTER_ASSERT(changes_.empty() || revision_of(changes_.back()) <= revision_of(change));
        bytes_ += bytes_of(change);
        changes_.push_back(change);
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
    auto it = std::ranges::lower_bound(changes_, from, {}, revision_of);
    revision current = from;
    for (; it != changes_.end(); ++it) {
        const kv::revision revision = revision_of(*it);
        if (revision != current && batch.changes.size() >= limits_.batch_changes_max) {
            batch.up_to = current;
            break;
        }
        current = revision;
        if (key_of(*it).starts_with(prefix)) batch.changes.push_back(*it);
    }
    if (batch.changes.empty()) return std::nullopt;
    return batch;
}

void history::forget_before(revision oldest) {
    while (!changes_.empty() && revision_of(changes_.front()) < oldest) forget_front_revision();
    oldest_ = std::max(oldest_, oldest);
}

void history::forget_front_revision() {
    const revision oldest = revision_of(changes_.front());
    while (!changes_.empty() && revision_of(changes_.front()) == oldest) {
        bytes_ -= bytes_of(changes_.front());
        changes_.pop_front();
    }
    oldest_ = std::max(oldest_, oldest.next());
}

}  // namespace muster::kv
