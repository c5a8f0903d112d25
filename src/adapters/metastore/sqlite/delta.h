#pragma once

#include "core/kv/store.h"

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace muster::metastore_sqlite {

// The changes of one group of requests to the file. A key that several requests write is written
// once.
struct delta {
    std::map<std::string, std::optional<kv::entry>> entries = {};             // empty: erased
    std::map<kv::lease_id, std::optional<std::chrono::seconds>> leases = {};  // empty: ended

    bool empty() const { return entries.empty() && leases.empty(); }

    void add(const std::vector<kv::change>& changes) {
        for (const kv::change& change : changes) {
            const auto* const written = std::get_if<kv::written>(&change);
            entries[kv::key_of(change)] =
                written == nullptr ? std::nullopt : std::optional(written->entry);
        }
    }
    void add(const kv::lease_end& ended) {
        leases[ended.lease] = std::nullopt;
        add(ended.changes);
    }
};

}  // namespace muster::metastore_sqlite
