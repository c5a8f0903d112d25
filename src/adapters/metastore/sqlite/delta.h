#pragma once

#include "core/kv/store.h"

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace muster::metastore_sqlite {

// What one group of requests changed, as it must stand in the file afterwards: a key written by
// many of them is written once.
struct delta {
    std::map<std::string, std::optional<kv::entry>> entries = {};             // empty: erased
    std::map<kv::lease_id, std::optional<std::chrono::seconds>> leases = {};  // empty: ended

    bool empty() const { return entries.empty() && leases.empty(); }

    void add(const std::vector<kv::change>& changes) {
        for (const kv::change& change : changes) {
            const auto* const now = std::get_if<kv::written>(&change);
            entries[kv::key_of(change)] = now == nullptr ? std::nullopt : std::optional(now->now);
        }
    }
    void add(const kv::lease_end& ended) {
        leases[ended.lease] = std::nullopt;
        add(ended.changes);
    }
};

}  // namespace muster::metastore_sqlite
