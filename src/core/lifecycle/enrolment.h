#pragma once

#include "core/model/system.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace muster::lifecycle {

// The rules for changes of a system record. Each function takes the current record and returns the
// record to write, with the next version; nothing if no change is needed. The caller writes it only
// if the version grows. So of two writers that read the same record one wins; the other retries.
using next_record = result<std::optional<system_record>>;

// What a system reports about itself, and its origin. Only the key is proven.
struct enrol_request {
    fingerprint print;
    std::string public_key;
    std::string name;
    std::string machine_id;  // may be empty
    std::string origin;
};

struct enrol_limits {
    static constexpr std::size_t name_bytes_max = 253;
    static constexpr std::size_t machine_id_bytes_max = 64;
};

// errc::invalid with the field and its valid values.
result<void> check(const enrol_request& request);

// A system enrols. `same_machine` is an accepted system with the same machine id and another key,
// if there is one. The new system then waits in the pool as its replacement.
next_record enrol(
    const std::optional<system_record>& system,
    const enrol_request& request,
    const std::optional<system_record>& same_machine,
    wall_time now);

// How a system is accepted.
struct acceptance_options {
    std::string zone;
    std::vector<std::string> tags;    // added to its tags
    std::vector<std::string> groups;  // added to its groups
    std::string accepted_by;          // a user, or "rule NAME"
};

// The identity of an accepted system: a new number, or the number, labels and zone of the system it
// replaces.
struct assigned_identity {
    system_number number;
    std::optional<system_record> replaced;
};

// errc::conflict for a deleted system. An accepted system stays unchanged.
next_record accept(
    const system_record& system,
    const acceptance_options& options,
    const assigned_identity& identity,
    wall_time now);

// errc::conflict for an accepted or deleted system.
next_record reject(const system_record& system);

// Bans the fingerprint permanently, even if it is unknown.
next_record remove(
    const std::optional<system_record>& system, const fingerprint& print, wall_time now);

// Detaches an accepted system from its node, so that it attaches again; otherwise errc::conflict.
next_record unregister(const system_record& system);

// errc::conflict unless the system is accepted.
next_record move_to_zone(const system_record& system, const std::string& zone);

struct label_change {
    std::vector<std::string> tags_added;
    std::vector<std::string> tags_removed;
    std::vector<std::string> groups_added;
    std::vector<std::string> groups_removed;
};

result<void> check(const label_change& change);

// errc::conflict for a deleted system.
next_record relabel(const system_record& system, const label_change& change);

// Removes a system from the pool; errc::conflict unless it is in the pool.
next_record evict(const system_record& system);

// An evicted record is erased in two steps. First it gets a version that only a deletion can
// follow. The row is deleted later, when every writer must have seen that version.
inline constexpr std::int64_t version_of_purged = version_of_deleted - 1;
bool is_purged(const system_record& system);
next_record purge(const system_record& system);

}  // namespace muster::lifecycle
