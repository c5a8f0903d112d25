#pragma once

#include "core/kv/change.h"
#include "core/kv/entry.h"

#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace muster::kv {

struct history_limits {
    std::size_t changes_max = 100'000;
    std::size_t bytes_max = 64 * std::size_t{1024} * 1024;
    std::size_t batch_changes_max = 1'000;  // a batch ends with the revision that reaches this
};

// The changes of the newest revisions, for watches. Bounded: drops complete revisions, oldest
// first, and never the newest.
class history {
public:
    // Changes before revision `oldest` are not available.
    history(history_limits limits, revision oldest) : limits_(limits), oldest_(oldest) {}

    // All changes of one revision, in key order; revisions must come in order.
    void append(std::span<const change> revision_changes);

    // Changes of keys with this prefix from revision `from` on; `newest` is the store's current
    // revision. Nothing if there are none yet.
    std::optional<watch_event> since(std::string_view prefix, revision from, revision newest) const;

    // Drops all changes before `oldest`.
    void forget_before(revision oldest);

    // The oldest revision that since() accepts.
    revision oldest() const { return oldest_; }
    const std::deque<change>& changes() const { return changes_; }

private:
    void forget_front_revision();

    history_limits limits_;
    revision oldest_;
    std::deque<change> changes_;
    std::size_t bytes_ = 0;
};

}  // namespace muster::kv
