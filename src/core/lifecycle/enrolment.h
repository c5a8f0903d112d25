#pragma once

#include "core/model/system.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace muster::lifecycle {

// The rules of a system's record. Each takes the record as it stands and gives the one
// to write in its place, with the next version; nothing when there is nothing to change. Whoever
// writes it does so only if the version grows, so of two who started from the same record one wins
// and the other looks again.
using next_record = result<std::optional<system_record>>;

// What a system says of itself, and from where. Proven is only its key.
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

// errc::invalid with the field and what it must be.
result<void> check(const enrol_request& enrol_request);

// A system knocked. `same_machine` is an accepted system with the same machine id and another key,
// if there is one: the newcomer then stands in the pool as the one to take its place.
next_record enrol(
    const std::optional<system_record>& system,
    const enrol_request& enrol_request,
    const std::optional<system_record>& same_machine,
    wall_time now);

// What an accepted system gets.
struct terms {
    std::string zone;
    std::vector<std::string> tags;    // added to those it has
    std::vector<std::string> groups;  // likewise
    std::string by;                   // a user, or "rule NAME"
};

// What is free to be given to a system that is accepted: a number of its own, or the whole place
// of the system it replaces.
struct seat {
    system_number number;
    std::optional<system_record> replaced;
};

// errc::conflict for a deleted one. An accepted one stays as it is.
next_record accept(
    const system_record& system, const terms& terms, const seat& free, wall_time now);

// errc::conflict for an accepted or deleted one.
next_record reject(const system_record& system);

// Bans the fingerprint for ever, whether it is known or not.
next_record remove(
    const std::optional<system_record>& system, const fingerprint& print, wall_time now);

// Sends an accepted system away from its node, to attach anew; errc::conflict for any other.
next_record unregister(const system_record& system);

// errc::conflict unless it is accepted.
next_record move_to_zone(const system_record& system, const std::string& zone);

struct label_change {
    std::vector<std::string> tags_added;
    std::vector<std::string> tags_removed;
    std::vector<std::string> groups_added;
    std::vector<std::string> groups_removed;
};

result<void> check(const label_change& label_change);

// errc::conflict for a deleted one.
next_record relabel(const system_record& system, const label_change& label_change);

// The pool lets go of it; errc::conflict unless it is in the pool.
next_record evict(const system_record& system);

// An evicted record is erased in two steps. First its version becomes one that only a deletion can
// follow; when that has stood long enough for every writer to have seen it, the row goes.
inline constexpr std::int64_t version_of_purged = version_of_deleted - 1;
bool is_purged(const system_record& system);
next_record purge(const system_record& system);

}  // namespace muster::lifecycle
