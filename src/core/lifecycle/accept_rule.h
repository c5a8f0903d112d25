#pragma once

#include "core/lifecycle/network.h"
#include "core/model/system.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::lifecycle {

// Accepts unknown systems automatically. All conditions of a rule must hold, and it needs at least
// one: a rule that accepts every system uses the name pattern `*`.
struct accept_rule {
    std::string name;
    std::int64_t priority = 100;             // lower numbers first; equal ones by name
    std::string key_digest;                  // of the activation key; empty: none required
    std::vector<network> networks;           // any of them
    std::vector<std::string> name_patterns;  // any of them
    std::string zone;
    std::vector<std::string> tags;
    std::vector<std::string> groups;
};

// A system that enrols.
struct enrolment_candidate {
    std::string_view name;
    std::optional<address_bytes> address;  // nothing: behind a proxy, so in no network
    std::string_view key_digest;           // of its activation key; empty: none
};

bool has_condition(const accept_rule& rule);
bool matches(const accept_rule& rule, const enrolment_candidate& candidate);

// The first rule by priority that matches; null: none. `rules` may be in any order.
const accept_rule* find_matching_rule(
    const std::vector<accept_rule>& rules, const enrolment_candidate& candidate);

}  // namespace muster::lifecycle
