#pragma once

#include "base/number.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace muster::kv {

// The store's logical time: each transaction that changes something takes the next one.
using revision = number<struct revision_tag>;

// Who keeps an entry alive; the default (zero) is nobody: the entry stays until erased.
using lease_id = number<struct lease_id_tag>;

struct entry {
    std::string key;
    std::string value;
    revision created;   // when the key last came into being
    revision modified;  // when it was last written
    lease_id lease;

    friend bool operator==(const entry&, const entry&) = default;
};

struct lookup {
    std::optional<entry> found = {};
    revision at = {};  // the store's revision when it looked
};

// Asks for the keys that start with `prefix` and come after `after` (empty: from the first).
struct range_request {
    std::string prefix = {};
    std::string after = {};
    std::size_t limit = 1000;
};

// Entries in key order. Each page is consistent in itself; a caller that wants one consistent whole
// reads all pages and then watches from the *first* page's revision.
struct page {
    std::vector<entry> entries = {};
    bool more = false;
    revision at = {};
};

}  // namespace muster::kv
