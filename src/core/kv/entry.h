#pragma once

#include "base/number.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace muster::kv {

// The store's logical time: each transaction that changes something gets the next revision.
using revision = number<struct revision_tag>;

// The lease that keeps an entry alive. Zero: no lease, the entry stays until erased.
using lease_id = number<struct lease_id_tag>;

struct entry {
    std::string key;
    std::string value;
    revision created;   // when the key was last created
    revision modified;  // when the key was last written
    lease_id lease;

    friend bool operator==(const entry&, const entry&) = default;
};

struct lookup {
    std::optional<entry> found = {};
    revision at = {};  // the store's revision at the lookup
};

// Selects the keys that start with `prefix` and come after `after` (empty: from the first).
struct range_request {
    std::string prefix = {};
    std::string after = {};
    std::size_t limit = 1000;
};

// Entries in key order. Each page is consistent. For a consistent view of all pages, read them and
// then watch from the revision of the *first* page.
struct page {
    std::vector<entry> entries = {};
    bool more = false;
    revision at = {};
};

}  // namespace muster::kv
