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

bool passes(const std::vector<text_filter>& filters, text_signature of) {
    return std::ranges::any_of(
        filters, [of](const text_filter& text_filter) { return text_filter.passes(of); });
}

}  // namespace

bool fact_index::question::holds_for(std::string_view text) const {
    if (always) return true;
    if (network != nullptr) return lies_within(*network, text);
    return std::ranges::any_of(
        patterns, [text](const text_pattern* pattern) { return pattern->matches(text); });
}

fact_index::questions fact_index::questions_for(const fact_condition& fact_condition) const {
    questions questions;
    for (std::uint32_t number = 0; number < paths_.size(); ++number) {
        if (paths_[number].live == 0) continue;
        question left;
        for (const auto& each : fact_condition.any_of) {
            const auto verdict = each.verdict_for(paths_[number].name);
            left.always = left.always || verdict.always;
            left.patterns.insert(left.patterns.end(), verdict.values.begin(), verdict.values.end());
        }
        if (!left.always && left.patterns.empty()) continue;
        for (const auto* const each : left.patterns) {
            if (each->is_literal())
                left.literals.push_back(each->source());
            else
                left.only_literals = false;
            if (paths_[number].live >= filtered_from) left.filters.push_back(filter_of(*each));
        }
        questions.emplace(number, std::move(left));
    }
    return questions;
}

std::size_t fact_index::looks_for(const path& at, const question& question) {
    if (!question.always && question.only_literals) return 0;
    if (question.always || question.filters.empty()) return at.live;
    const auto step = 1 + at.signatures.size() / samples;
    std::size_t tried = 0;
    std::size_t passed = 0;
    for (std::size_t each = 0; each < at.signatures.size(); each += step, ++tried)
        if (passes(question.filters, at.signatures[each])) ++passed;
    return at.signatures.size() / signatures_of_a_look + at.signatures.size() * passed / tried;
}

std::size_t fact_index::looks_for(const questions& questions) const {
    std::size_t looks = 0;
    for (const auto& [number, each] : questions) looks += looks_for(paths_[number], each);
    return looks;
}

std::size_t fact_index::looks_for(const fact_condition& fact_condition) const {
    return looks_for(questions_for(fact_condition));
}

system_set fact_index::answer(const questions& questions, const system_set& within) const {
    if (looks_for(questions) > looks_of_a_system * within.size())
        return answer_one_by_one(questions, within);
    posting::gathered gathered;
    for (const auto& [number, each] : questions) {
        if (!each.always && each.only_literals) {
            for (const auto literal : each.literals)
                if (const auto* const there = find(number, literal)) there->who.gather(gathered);
            continue;
        }
        const auto some = candidates(paths_[number], each);
        for (std::size_t at = 0; at < some.size(); ++at) {
            // They lie far apart in memory: the next ones come while this one is looked at.
            if (at + 2 * ahead < some.size()) __builtin_prefetch(&values_[some[at + 2 * ahead]]);
            if (at + ahead < some.size()) values_[some[at + ahead]].text.fetch();
            const auto& there = values_[some[at]];
            if (there.path == number && there.who.may_meet(within)
                && each.holds_for(there.text.view()))
                there.who.gather(gathered);
        }
    }
    return gathered.among(within);
}

std::vector<fact_index::value_id> fact_index::candidates(const path& of, const question& question) {
    if (question.always || question.filters.empty()) return of.values;
    std::vector<value_id> value_ids;
    std::size_t place = 0;
    for (const auto signature : of.signatures) {
        if (passes(question.filters, signature)) value_ids.push_back(of.values[place]);
        ++place;
    }
    return value_ids;
}

system_set fact_index::answer_one_by_one(
    const questions& questions, const system_set& within) const {
    std::vector<std::uint32_t> matches;
    within.for_each([&](system_number system_number) {
        const auto* const held = held_.find(system_number);
        if (held == nullptr) return;
        const bool none = for_each_id(held->view(), [&](std::uint32_t id) {
            const auto there = questions.find(values_[id].path);
            const bool met =
                there != questions.end() && there->second.holds_for(values_[id].text.view());
            return !met;
        });
        if (!none) matches.push_back(static_cast<std::uint32_t>(system_number.value()));
    });
    return system_set::of(matches);
}

system_set fact_index::matching(
    const fact_condition& fact_condition, const system_set& within) const {
    return answer(questions_for(fact_condition), within);
}

system_set fact_index::matching(
    const network_condition& network_condition, const system_set& within) const {
    questions places;
    for (std::uint32_t number = 0; number < paths_.size(); ++number) {
        if (!holds_addresses(paths_[number].name)) continue;
        question left;
        left.only_literals = false;
        left.network = &network_condition;
        places.emplace(number, std::move(left));
    }
    return answer(places, within);
}

}  // namespace muster::targeting
