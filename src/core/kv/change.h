#pragma once

#include "core/kv/entry.h"

#include <string>
#include <variant>
#include <vector>

namespace muster::kv {

struct written {
    entry now;
    friend bool operator==(const written&, const written&) = default;
};
struct erased {  // by a transaction or because its lease ended
    std::string key;
    revision at;
    friend bool operator==(const erased&, const erased&) = default;
};
using change = std::variant<written, erased>;

inline const std::string& key_of(const change& change) {
    const auto* const now = std::get_if<written>(&change);
    return now != nullptr ? now->now.key : std::get<erased>(change).key;
}

inline revision revision_of(const change& change) {
    const auto* const now = std::get_if<written>(&change);
    return now != nullptr ? now->now.modified : std::get<erased>(change).at;
}

// Whole revisions in order: a revision is never split over two batches. Within one revision the
// changes are in key order. `up_to` may be newer than the last change when others touched other
// keys.
struct change_batch {
    std::vector<change> changes = {};
    revision up_to = {};
};

// The history asked for is gone. Read the range again and watch from the revision it came at.
struct compacted {
    revision oldest;  // the oldest revision that can still be watched from
};

using watch_event = std::variant<change_batch, compacted>;

}  // namespace muster::kv
