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
class system_cache_shard;

// All systems of the cluster in the memory of every server: the table `systems` of the ledger,
// slightly delayed. The follower feeds it. The system service also applies its own writes, so a
// caller sees them at once. Thread-safe.
class system_cache {
public:
    system_cache();
    system_cache(const system_cache&) = delete;
    system_cache& operator=(const system_cache&) = delete;
    ~system_cache();

    // False until the whole table was read once; until then an unknown system may exist.
    bool complete() const { return complete_.load(std::memory_order_acquire); }

    std::optional<system_record> find(const fingerprint& print) const;
    std::optional<system_record> find(system_number number) const;
    // The accepted systems of a machine: one, except while a new key replaces the old one.
    std::vector<system_record> find_machine(std::string_view machine_id) const;

    // The state that the system is told; unknown systems are fresh. One lookup, no copy.
    system_state status(const fingerprint& print) const;

    // The number of accepted systems per slot of a zone.
    slot_population population(std::string_view zone) const;
    system_counts counts() const;
    std::size_t accepted_in(std::string_view zone) const;
    std::size_t count(enrolment stage) const;

    // Visits up to `count` systems after `after` in the order of fingerprints. `visit` runs under a
    // lock and must only copy. Returns where to continue; nothing at the end.
    using visitor = function_ref<void(const fingerprint&, const compact_system_record&)>;
    std::optional<fingerprint> visit(
        const std::optional<fingerprint>& after, std::size_t count, visitor visit) const;

    // The unaccepted systems that enrolled first, oldest first.
    std::vector<fingerprint> oldest_unaccepted(std::size_t count) const;

    // Called with every set of changes, in order, on the thread that applies them. It must be quick
    // and must not call apply(). Add watchers before the first apply().
    using watcher = std::function<void(std::span<const change>)>;
    void watch(watcher watcher);

    // Source of the attachment of systems. Set it before the first call of status(); without it
    // every system counts as detached.
    void use_presence(const presence::presence_lookup& presence) { presence_ = &presence; }

    // Newer versions replace older ones; older rows are ignored.
    void apply(std::span<const system_record> rows);

    // What becomes of systems that a read of the whole table did not meet. They are kept when some
    // rows were unreadable: each of those may be one of them.
    enum class unseen_systems { erase, keep };
    // Bracket a read of the whole table.
    void begin_reading();
    void end_reading(unseen_systems unseen = unseen_systems::erase);

private:
    static constexpr std::size_t shard_count = 256;
    // A chunk of the index by number: the first eight bytes of each fingerprint.
    static constexpr std::size_t chunk_size = 4096;
    using number_chunk = std::array<std::uint64_t, chunk_size>;
    using enrolled_system = std::pair<wall_time, fingerprint>;  // time of enrolment, system

    system_cache_shard& shard_of(const fingerprint& print) const;
    std::optional<fingerprint> find_indexed(
        std::uint64_t prefix, function_ref<bool(const compact_system_record&)> predicate) const;
    void erase_unseen();
    void add_to_index(const system_record& record);
    void remove_from_index(const fingerprint& print, const compact_system_record& before);
    void notify(std::span<const change> changes) const;

    std::unique_ptr<std::array<system_cache_shard, shard_count>> shards_;
    std::atomic<bool> complete_ = false;
    const presence::presence_lookup* presence_ = nullptr;
    std::vector<watcher> watchers_;

    std::mutex apply_guard_;  // serializes changes
    std::uint8_t reading_ = 0;

    mutable std::mutex index_guard_;
    system_counts counts_;
    std::vector<std::unique_ptr<number_chunk>> numbers_;
    std::set<std::pair<std::uint64_t, std::uint64_t>> machines_;  // digest of the id, prefix
    std::set<enrolled_system> unaccepted_;
};

}  // namespace muster::fleet
