#include "core/lifecycle/accept_rule.h"

#include "core/targeting/glob.h"

#include <algorithm>
#include <tuple>

namespace muster::lifecycle {

bool has_condition(const accept_rule& rule) {
    return !rule.key_digest.empty() || !rule.networks.empty() || !rule.name_patterns.empty();
}

bool matches(const accept_rule& rule, const enrolment_candidate& candidate) {
    if (!has_condition(rule)) return false;
    if (!rule.key_digest.empty() && rule.key_digest != candidate.key_digest) return false;
    const auto contains_address = [&](const network& network) {
        return candidate.address && network.contains(*candidate.address);
    };
    if (!rule.networks.empty() && std::ranges::none_of(rule.networks, contains_address))
        return false;
    const auto matches_name = [&](const std::string& pattern) {
        return targeting::glob_matches(pattern, candidate.name);
    };
    return rule.name_patterns.empty() || std::ranges::any_of(rule.name_patterns, matches_name);
}

const accept_rule* find_matching_rule(
    const std::vector<accept_rule>& rules, const enrolment_candidate& candidate) {
    const accept_rule* first = nullptr;
    for (const auto& rule : rules) {
        if (!matches(rule, candidate)) continue;
        const bool is_first =
            first == nullptr
            || std::tie(rule.priority, rule.name) < std::tie(first->priority, first->name);
        if (is_first) first = &rule;
    }
    return first;
}

}  // namespace muster::lifecycle
