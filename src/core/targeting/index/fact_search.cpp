// How facts are asked for: the other half of fact_index.h.

#include "core/targeting/index/fact_index.h"
#include "core/targeting/index/packed_ids.h"

#include <algorithm>

namespace muster::targeting {
namespace {

// Looking at all facts of a system costs about as much as looking at so many values.
constexpr std::size_t looks_of_a_system = 8;
// Where there are fewer values, each is looked at.
constexpr std::size_t filtered_from = 128;
// So many signatures are looked at in the time of one value.
constexpr std::size_t signatures_of_a_look = 64;
// So many values ahead are fetched.
constexpr std::size_t ahead = 8;
// So many are tried to reckon how many will pass.
constexpr std::size_t samples = 256;

bool passes(const std::vector<text_filter>& filters, text_signature signature) {
    return std::ranges::any_of(filters, [signature](const text_filter& text_filter) {
        return text_filter.passes(signature);
    });
}

}  // namespace

bool fact_index::value_test::passes(std::string_view text) const {
    if (always) return true;
    if (network != nullptr) return lies_within(*network, text);
    return std::ranges::any_of(
        patterns, [text](const text_pattern* pattern) { return pattern->matches(text); });
}

fact_index::value_tests fact_index::build_value_tests(const fact_condition& fact_condition) const {
    value_tests tests;
    for (std::uint32_t number = 0; number < paths_.size(); ++number) {
        if (paths_[number].live == 0) continue;
        value_test test;
        for (const auto& pattern : fact_condition.any_of) {
            const auto path_match = pattern.match_path(paths_[number].name);
            test.always = test.always || path_match.always;
            test.patterns.insert(
                test.patterns.end(), path_match.values.begin(), path_match.values.end());
        }
        if (!test.always && test.patterns.empty()) continue;
        for (const auto* const pattern : test.patterns) {
            if (pattern->is_literal())
                test.literals.push_back(pattern->source());
            else
                test.only_literals = false;
            if (paths_[number].live >= filtered_from) test.filters.push_back(filter_of(*pattern));
        }
        tests.emplace(number, std::move(test));
    }
    return tests;
}

std::size_t fact_index::values_examined(const path& path, const value_test& test) {
    if (!test.always && test.only_literals) return 0;
    if (test.always || test.filters.empty()) return path.live;
    const auto step = 1 + path.signatures.size() / samples;
    std::size_t tried = 0;
    std::size_t passed = 0;
    for (std::size_t index = 0; index < path.signatures.size(); index += step, ++tried)
        if (passes(test.filters, path.signatures[index])) ++passed;
    return path.signatures.size() / signatures_of_a_look + path.signatures.size() * passed / tried;
}

std::size_t fact_index::values_examined(const value_tests& value_tests) const {
    std::size_t count = 0;
    for (const auto& [number, test] : value_tests) count += values_examined(paths_[number], test);
    return count;
}

std::size_t fact_index::values_examined(const fact_condition& fact_condition) const {
    return values_examined(build_value_tests(fact_condition));
}

system_set fact_index::evaluate(const value_tests& value_tests, const system_set& within) const {
    if (values_examined(value_tests) > looks_of_a_system * within.size())
        return evaluate_by_system(value_tests, within);
    posting::gathered gathered;
    for (const auto& [number, test] : value_tests) {
        if (!test.always && test.only_literals) {
            for (const auto literal : test.literals)
                if (const auto* const value = find(number, literal))
                    value->systems.gather(gathered);
            continue;
        }
        const auto ids = candidates(paths_[number], test);
        for (std::size_t index = 0; index < ids.size(); ++index) {
            // They lie far apart in memory: the next ones come while this one is looked at.
            if (index + 2 * ahead < ids.size())
                __builtin_prefetch(&values_[ids[index + 2 * ahead]]);
            if (index + ahead < ids.size()) values_[ids[index + ahead]].text.fetch();
            const auto& value = values_[ids[index]];
            if (value.path == number && value.systems.may_meet(within)
                && test.passes(value.text.view()))
                value.systems.gather(gathered);
        }
    }
    return gathered.among(within);
}

std::vector<fact_index::value_id> fact_index::candidates(const path& path, const value_test& test) {
    if (test.always || test.filters.empty()) return path.values;
    std::vector<value_id> value_ids;
    std::size_t index = 0;
    for (const auto signature : path.signatures) {
        if (passes(test.filters, signature)) value_ids.push_back(path.values[index]);
        ++index;
    }
    return value_ids;
}

system_set fact_index::evaluate_by_system(
    const value_tests& value_tests, const system_set& within) const {
    std::vector<std::uint32_t> matches;
    within.for_each([&](system_number system_number) {
        const auto* const ids = values_of_.find(system_number);
        if (ids == nullptr) return;
        const bool none = for_each_id(ids->view(), [&](std::uint32_t id) {
            const auto it = value_tests.find(values_[id].path);
            const bool met = it != value_tests.end() && it->second.passes(values_[id].text.view());
            return !met;
        });
        if (!none) matches.push_back(static_cast<std::uint32_t>(system_number.value()));
    });
    return system_set::of(matches);
}

system_set fact_index::matching(
    const fact_condition& fact_condition, const system_set& within) const {
    return evaluate(build_value_tests(fact_condition), within);
}

system_set fact_index::matching(
    const network_condition& network_condition, const system_set& within) const {
    value_tests tests;
    for (std::uint32_t number = 0; number < paths_.size(); ++number) {
        if (!holds_addresses(paths_[number].name)) continue;
        value_test test;
        test.only_literals = false;
        test.network = &network_condition;
        tests.emplace(number, std::move(test));
    }
    return evaluate(tests, within);
}

}  // namespace muster::targeting
