#include "core/lifecycle/accept_rule.h"

#include "core/targeting/glob.h"

#include <algorithm>
#include <tuple>

namespace muster::lifecycle {

bool asks_for_something(const accept_rule& rule) {
    return !rule.key_digest.empty() || !rule.networks.empty() || !rule.name_patterns.empty();
}

bool admits(const accept_rule& rule, const applicant& applicant) {
    if (!asks_for_something(rule)) return false;
    if (!rule.key_digest.empty() && rule.key_digest != applicant.key_digest) return false;
    const auto holds_address = [&](const network& network) {
        return applicant.address && network.contains(*applicant.address);
    };
    if (!rule.networks.empty() && std::ranges::none_of(rule.networks, holds_address)) return false;
    const auto matches_name = [&](const std::string& each) {
        return targeting::glob_matches(each, applicant.name);
    };
    return rule.name_patterns.empty() || std::ranges::any_of(rule.name_patterns, matches_name);
}

const accept_rule* first_admitting(
    const std::vector<accept_rule>& rules, const applicant& applicant) {
    const accept_rule* first = nullptr;
    for (const auto& rule : rules) {
        if (!admits(rule, applicant)) continue;
        const bool before =
            first == nullptr
            || std::tie(rule.priority, rule.name) < std::tie(first->priority, first->name);
        if (before) first = &rule;
    }
    return first;
}

}  // namespace muster::lifecycle
