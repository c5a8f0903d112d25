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
    return std::ranges::any_of(filters, [of](const text_filter& each) { return each.passes(of); });
}

}  // namespace

fact_index::questions fact_index::questions_for(const fact_condition& asked) const {
    questions found;
    for (std::uint32_t number = 0; number < paths_.size(); ++number) {
        if (paths_[number].live == 0) continue;
        question left;
        std::vector<const text_pattern*> tests;
        for (const auto& each : asked.any_of) {
            const auto verdict = each.verdict_for(paths_[number].name);
            left.always = left.always || verdict.always;
            tests.insert(tests.end(), verdict.values.begin(), verdict.values.end());
        }
        if (!left.always && tests.empty()) continue;
        for (const auto* const each : tests) {
            if (each->is_literal())
                left.literals.push_back(each->source());
            else
                left.only_literals = false;
            if (paths_[number].live >= filtered_from) left.filters.push_back(filter_of(*each));
        }
        left.test = [tests = std::move(tests)](std::string_view text) {
            return std::ranges::any_of(
                tests, [text](const text_pattern* each) { return each->matches(text); });
        };
        found.emplace(number, std::move(left));
    }
    return found;
}

std::size_t fact_index::looks_for(const path& at, const question& asked) {
    if (!asked.always && asked.only_literals) return 0;
    if (asked.always || asked.filters.empty()) return at.live;
    const auto step = 1 + at.signatures.size() / samples;
    std::size_t tried = 0;
    std::size_t passed = 0;
    for (std::size_t each = 0; each < at.signatures.size(); each += step, ++tried)
        if (passes(asked.filters, at.signatures[each])) ++passed;
    return at.signatures.size() / signatures_of_a_look + at.signatures.size() * passed / tried;
}

std::size_t fact_index::looks_for(const questions& asked) const {
    std::size_t looks = 0;
    for (const auto& [number, each] : asked) looks += looks_for(paths_[number], each);
    return looks;
}

std::size_t fact_index::looks_for(const fact_condition& asked) const {
    return looks_for(questions_for(asked));
}

system_set fact_index::answer(const questions& asked, const system_set& within) const {
    if (looks_for(asked) > looks_of_a_system * within.size())
        return answer_one_by_one(asked, within);
    posting::gathered who;
    for (const auto& [number, each] : asked) {
        if (!each.always && each.only_literals) {
            for (const auto literal : each.literals)
                if (const auto* const there = find(number, literal)) there->who.gather(who);
            continue;
        }
        const auto some = candidates(paths_[number], each);
        for (std::size_t at = 0; at < some.size(); ++at) {
            // They lie far apart in memory: the next ones come while this one is looked at.
            if (at + 2 * ahead < some.size()) __builtin_prefetch(&values_[some[at + 2 * ahead]]);
            if (at + ahead < some.size()) values_[some[at + ahead]].text.fetch();
            const auto& there = values_[some[at]];
            if (there.path == number && there.who.may_meet(within)
                && (each.always || each.test(there.text.view())))
                there.who.gather(who);
        }
    }
    return who.among(within);
}

std::vector<fact_index::value_id> fact_index::candidates(const path& of, const question& asked) {
    if (asked.always || asked.filters.empty()) return of.values;
    std::vector<value_id> found;
    std::size_t place = 0;
    for (const auto each : of.signatures) {
        if (passes(asked.filters, each)) found.push_back(of.values[place]);
        ++place;
    }
    return found;
}

system_set fact_index::answer_one_by_one(const questions& asked, const system_set& within) const {
    std::vector<std::uint32_t> found;
    within.for_each([&](system_number who) {
        const auto* const held = held_.find(who);
        if (held == nullptr) return;
        const bool none = for_each_id(held->view(), [&](std::uint32_t id) {
            const auto there = asked.find(values_[id].path);
            const bool met =
                there != asked.end()
                && (there->second.always || there->second.test(values_[id].text.view()));
            return !met;
        });
        if (!none) found.push_back(static_cast<std::uint32_t>(who.value()));
    });
    return system_set::of(found);
}

system_set fact_index::matching(const fact_condition& asked, const system_set& within) const {
    return answer(questions_for(asked), within);
}

system_set fact_index::matching(const network_condition& asked, const system_set& within) const {
    questions places;
    for (std::uint32_t number = 0; number < paths_.size(); ++number) {
        if (!holds_addresses(paths_[number].name)) continue;
        question left{
            .always = false, .only_literals = false, .test = {}, .literals = {}, .filters = {}};
        left.test = [&asked](std::string_view text) {
            return lies_within(asked, text);
        };
        places.emplace(number, std::move(left));
    }
    return answer(places, within);
}

}  // namespace muster::targeting
