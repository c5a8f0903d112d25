#pragma once

#include "base/number.h"
#include "base/time.h"
#include "core/model/fingerprint.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

// A system's number: 32 bits, assigned at acceptance, never reused. Zero: not accepted yet.
using system_number = number<struct system_number_tag>;

// The recorded stage of a system. Whether an accepted system is attached is presence, which is kept
// in memory and never stored.
enum class enrolment {
    pooled,    // enrolled, waits for an admin or a rule
    rejected,  // by an admin; stays in the pool, and no rule accepts it
    accepted,
    deleted,  // banned permanently by its fingerprint
    evicted,  // removed from a full pool, as if it had never enrolled
};

std::string_view to_string(enrolment stage);
std::optional<enrolment> parse_enrolment(std::string_view text);

// The state that a system gets on request; one ASCII digit on the wire.
enum class system_state { fresh = 0, onboarded = 1, orphan = 2, deleted = 3 };

std::string_view to_string(system_state state);  // "new", "onboarded", "orphan", "deleted"
char digit_of(system_state state);
std::optional<system_state> state_of_digit(char digit);

// A system without its facts and tasks. One row of the ledger.
struct system_record {
    fingerprint print;
    std::string public_key;  // the 32 bytes of its Ed25519 key
    std::string name;
    std::string machine_id;
    enrolment stage = enrolment::pooled;
    system_number number;
    std::string zone;  // empty until it is accepted
    std::vector<std::string> tags;
    std::vector<std::string> groups;
    std::string origin;  // the address it enrolled from
    wall_time enrolled;
    std::optional<wall_time> accepted;
    std::string accepted_by;  // a user, or "rule NAME"
    // The accepted system of the same machine that this one replaces.
    system_number replaces = {};
    std::int64_t unregistered = 0;  // number of forced detaches; the agent then attaches again
    std::int64_t version = 1;       // grows with every change of the record

    friend bool operator==(const system_record&, const system_record&) = default;
};

// The version of a deleted record. No version is larger, so nothing replaces the record.
inline constexpr std::int64_t version_of_deleted = INT64_MAX;

// The state to report to a system; `record` is null for an unknown system.
system_state state_of(const system_record* record, bool attached);

}  // namespace muster
