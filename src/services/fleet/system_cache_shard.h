#pragma once

#include "core/fleet/system_map.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

namespace muster::fleet {

// A part of the systems, and a hash table by which one of them is found without walking down a
// tree: every agent that knocks asks for one, and in a tree of many that is a cache miss a level.
// The caller holds `guard`.
class shard {
public:
    shard() = default;
    shard(const shard&) = delete;
    shard& operator=(const shard&) = delete;

    mutable std::mutex guard;

    const system_map& systems() const { return systems_; }
    const compact_system_record* find(const fingerprint& print) const;

    // As roster does.
    system_map::outcome apply(const system_record& row, std::uint8_t reading);
    std::vector<std::pair<fingerprint, compact_system_record>> forget_unseen(std::uint8_t reading);

private:
    void look_again(const fingerprint& print);

    system_map systems_;
    // By the first eight bytes; of several that share these the first in the roster's order. Who is
    // not in it is not there.
    boost::unordered_flat_map<std::uint64_t, const system_map::item*> near_;
};

}  // namespace muster::fleet
