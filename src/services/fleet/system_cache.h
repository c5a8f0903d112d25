#pragma once

#include "base/function_ref.h"
#include "core/fleet/change.h"
#include "core/fleet/system_counts.h"
#include "core/model/system.h"
#include "services/presence/presence_lookup.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::fleet {

class compact_system_record;
class shard;

// Every system the cluster knows, in the memory of every server: what the ledger's table `systems`
// holds, a moment later. The follower feeds it, and the system service what it has just written, so
// that who changed something sees it at once. Thread-safe: every event loop reads it.
class system_cache {
public:
    system_cache();
    system_cache(const system_cache&) = delete;
    system_cache& operator=(const system_cache&) = delete;
    ~system_cache();

    // False until the whole table has been read once: an unknown system may yet turn up.
    bool complete() const { return complete_.load(std::memory_order_acquire); }

    std::optional<system_record> find(const fingerprint& print) const;
    std::optional<system_record> find(system_number number) const;
    // The accepted systems of a machine: one, unless a new key of it takes the old one's place.
    std::vector<system_record> find_machine(std::string_view machine_id) const;

    // What the system is told; an unknown one is New. One lookup, no copy.
    system_state status(const fingerprint& print) const;

    // How many accepted systems each slot of a zone has.
    slot_population population(std::string_view zone) const;
    system_counts counts() const;
    std::size_t accepted_in(std::string_view zone) const;
    std::size_t count(enrolment stage) const;

    // Up to `count` systems behind `after` in the order of fingerprints; `seen` is called under a
    // lock and only copies what it needs. Returns where to go on; nothing at the end.
    using visitor = function_ref<void(const fingerprint&, const compact_system_record&)>;
    std::optional<fingerprint> visit(
        const std::optional<fingerprint>& after, std::size_t count, visitor seen) const;

    // The unaccepted ones that have waited longest, oldest first.
    std::vector<fingerprint> oldest_unaccepted(std::size_t count) const;

    // Called with every set of changes, on the thread that brought them, in order. It must be quick
    // and must not call apply(). To be set before anything is applied.
    using watcher = std::function<void(std::span<const change>)>;
    void watch(watcher watcher);

    // Tells whether an accepted system is attached to its node. To be set before anybody asks for a
    // status; without it nobody is.
    void use_presence(const presence::presence_lookup& presence) { presence_ = &presence; }

    // Newer versions take the place of older ones; older ones are ignored.
    void apply(std::span<const system_record> rows);

    // A reading of the whole table: what was not applied between the two is forgotten at the end.
    void begin_reading();
    void end_reading();

private:
    static constexpr std::size_t shard_count = 256;
    // One chunk of the systems' numbers: the first eight bytes of each one's fingerprint.
    static constexpr std::size_t chunk_size = 4096;
    using number_chunk = std::array<std::uint64_t, chunk_size>;
    using waiting = std::pair<wall_time, fingerprint>;  // since when, and who

    shard& shard_of(const fingerprint& print) const;
    std::optional<fingerprint> find_indexed(
        std::uint64_t prefix, function_ref<bool(const compact_system_record&)> accepts) const;
    void index(const system_record& now);
    void forget(const fingerprint& print, const compact_system_record& before);
    void tell(std::span<const change> changes) const;

    std::unique_ptr<std::array<shard, shard_count>> shards_;
    std::atomic<bool> complete_ = false;
    const presence::presence_lookup* presence_ = nullptr;
    std::vector<watcher> watchers_;

    std::mutex applying_;  // one set of changes at a time
    std::uint8_t reading_ = 0;

    mutable std::mutex index_guard_;
    system_counts counted_;
    std::vector<std::unique_ptr<number_chunk>> numbers_;
    std::set<std::pair<std::uint64_t, std::uint64_t>> machines_;  // digest of the id, prefix
    std::set<waiting> unaccepted_;
};

}  // namespace muster::fleet
