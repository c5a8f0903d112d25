#pragma once

#include "core/kv/entry.h"

#include <string>
#include <variant>
#include <vector>

namespace muster::kv {

struct written {
    kv::entry entry;
    friend bool operator==(const written&, const written&) = default;
};
struct erased {  // by a transaction or at the end of its lease
    std::string key;
    revision at;
    friend bool operator==(const erased&, const erased&) = default;
};
using change = std::variant<written, erased>;

inline const std::string& key_of(const change& change) {
    const auto* const write = std::get_if<written>(&change);
    return write != nullptr ? write->entry.key : std::get<erased>(change).key;
}

inline revision revision_of(const change& change) {
    const auto* const write = std::get_if<written>(&change);
    return write != nullptr ? write->entry.modified : std::get<erased>(change).at;
}

// Complete revisions in order: a revision is never split over two batches. Changes of one revision
// are in key order. `up_to` may be newer than the last change, when other keys changed.
struct change_batch {
    std::vector<change> changes = {};
    revision up_to = {};
};

// The requested history is compacted. Read the range again and watch from its revision.
struct compacted {
    revision oldest;  // the oldest revision that can still be watched from
};

using watch_event = std::variant<change_batch, compacted>;

}  // namespace muster::kv
