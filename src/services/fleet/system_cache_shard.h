#pragma once

#include "core/fleet/system_map.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

namespace muster::fleet {

// A part of the systems with a hash index, because every agent connection looks up a system and a
// tree costs a cache miss per level. Not thread-safe; the caller holds `guard`.
class system_cache_shard {
public:
    system_cache_shard() = default;
    system_cache_shard(const system_cache_shard&) = delete;
    system_cache_shard& operator=(const system_cache_shard&) = delete;

    mutable std::mutex guard;

    const system_map& systems() const { return systems_; }
    const compact_system_record* find(const fingerprint& print) const;

    // As in system_map.
    system_map::outcome apply(const system_record& row, std::uint8_t reading);
    std::vector<std::pair<fingerprint, compact_system_record>> erase_unseen(std::uint8_t reading);

private:
    void update_index(const fingerprint& print);

    system_map systems_;
    // By the first eight bytes of the fingerprint: the first system in map order. A prefix without
    // an entry has no system.
    boost::unordered_flat_map<std::uint64_t, const system_map::item*> by_prefix_;
};

}  // namespace muster::fleet
