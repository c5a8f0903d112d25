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

// A system's number: given once when it is accepted, 32 bits, never reused. Zero: not accepted yet.
using system_number = number<struct system_number_tag>;

// What the record says of a system. Whether an accepted one is attached to its node is presence,
// which is in memory and never written.
enum class enrolment {
    pooled,    // it knocked and waits for an admin or a rule
    rejected,  // an admin said no; it stays in the pool, and no rule takes it in
    accepted,
    deleted,  // banned by its fingerprint, for ever
    evicted,  // the full pool let go of it: as if it had never knocked
};

std::string_view to_string(enrolment stage);
std::optional<enrolment> parse_enrolment(std::string_view text);

// What a system is told of itself, as one ASCII digit on the wire.
enum class system_state { fresh = 0, onboarded = 1, orphan = 2, deleted = 3 };

std::string_view to_string(system_state state);  // "new", "onboarded", "orphan", "deleted"
char digit_of(system_state state);
std::optional<system_state> state_of_digit(char digit);

// Everything that is kept of a system apart from its facts and its work. One row of the ledger.
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
    // The accepted system of the same machine whose key this one is to take the place of.
    system_number replaces = {};
    std::int64_t unregistered = 0;  // how often it was sent away from its node, to attach anew
    std::int64_t version = 1;       // grows with every change of the record

    friend bool operator==(const system_record&, const system_record&) = default;
};

// The version of a deleted record: none is larger, so nothing ever takes its place.
inline constexpr std::int64_t version_of_deleted = INT64_MAX;

// The state a system is told: of an unknown one `record` is null.
system_state state_of(const system_record* record, bool attached);

}  // namespace muster
