#pragma once

#include "core/lifecycle/network.h"
#include "core/model/system.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::lifecycle {

// Takes unknown systems in without an admin. All that it asks for must hold, and it asks for
// something: a rule that takes in everybody has to say so with the name pattern `*`.
struct accept_rule {
    std::string name;
    std::int64_t priority = 100;             // the smallest first; of equal ones by name
    std::string key_digest;                  // of the activation key; empty: none is asked for
    std::vector<network> networks;           // any of them
    std::vector<std::string> name_patterns;  // any of them
    std::string zone;
    std::vector<std::string> tags;
    std::vector<std::string> groups;
};

// Who wants to be taken in.
struct applicant {
    std::string_view name;
    std::optional<address_bytes> address;  // nothing: hidden behind a proxy, so of no network
    std::string_view key_digest;           // of the activation key it showed; empty: none
};

bool asks_for_something(const accept_rule& rule);
bool admits(const accept_rule& rule, const applicant& applicant);

// The rule that takes the applicant in; null: it waits for an admin. `rules` in any order.
const accept_rule* first_admitting(
    const std::vector<accept_rule>& rules, const applicant& applicant);

}  // namespace muster::lifecycle
