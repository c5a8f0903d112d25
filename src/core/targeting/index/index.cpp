#include "core/targeting/index/index.h"

#include "base/assert.h"
#include "core/fleet/system_map.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace muster::targeting {
namespace {

using kind = query::operation::kind;

template <class... Ts>
struct overloaded : Ts... {
    using Ts::operator()...;
};

bool is_accepted(const system_record& record) {
    return record.stage == enrolment::accepted && record.number;
}

// What a system is indexed under, a line each, so that it can be taken out again.
constexpr char zone_line = 'z';
constexpr char tag_line = 't';
constexpr char group_line = 'g';

std::string words_of(const system_record& record) {
    std::string lines;
    const auto add = [&lines](char kind, const std::string& word) {
        if (lines.size() + word.size() + 2 > packed_text::size_max) return;
        lines += kind;
        lines += word;
        lines += '\n';
    };
    add(zone_line, record.zone);
    for (const auto& tag : record.tags) add(tag_line, tag);
    for (const auto& group : record.groups) add(group_line, group);
    return lines;
}

// Number of fact values that can be examined in the time of a name search.
constexpr std::size_t few_values = 2'000;
// Number of fact values above which the systems are narrowed first.
constexpr std::size_t some_more_values = 40'000;

// Cheap conditions that narrow the set come first; those that examine each system come last.
enum cost {
    lookup,
    some_values,
    names,
    more_values,
    many_words,
    many_values,
    each_address,
    each_name,
    each_one
};

int cost_of(const condition& condition, const fact_index& facts) {
    if (const auto* const tests = std::get_if<fact_condition>(&condition)) {
        const auto values = facts.values_examined(*tests);
        if (values <= few_values) return some_values;
        return values <= some_more_values ? more_values : many_values;
    }
    if (std::holds_alternative<network_condition>(condition)) return each_address;
    const auto* const text = std::get_if<field_condition>(&condition);
    if (text == nullptr) return lookup;
    switch (text->field) {
        case field::tag:
        case field::group:
        case field::zone:
            return text->test.is_literal() ? lookup : many_words;
        case field::name:
            return text->test.is_regex() ? each_name : names;
        case field::number:
            return text->test.is_literal() ? lookup : each_one;
        case field::state:
        case field::node:
        case field::print:
        case field::machine:
            return each_one;
    }
    MUSTER_ASSERT(false);
    return lookup;
}

int cost_of(const query& expression, std::size_t node, const fact_index& facts) {
    if (const auto* const leaf = std::get_if<query::term>(&expression.nodes()[node]))
        return cost_of(leaf->condition, facts);
    const auto& inner = std::get<query::operation>(expression.nodes()[node]);
    const auto first = cost_of(expression, inner.first, facts);
    return inner.type == kind::negation ? first
                                        : std::max(first, cost_of(expression, inner.second, facts));
}

// The conditions of a chain of `and`, however they are nested.
void add_conjuncts(const query& expression, std::size_t node, std::vector<std::size_t>& conjuncts) {
    const auto* const inner = std::get_if<query::operation>(&expression.nodes()[node]);
    if (inner == nullptr || inner->type != kind::both) {
        conjuncts.push_back(node);
        return;
    }
    add_conjuncts(expression, inner->first, conjuncts);
    add_conjuncts(expression, inner->second, conjuncts);
}

}  // namespace

void index::apply(std::span<const fleet::change> changes) {
    for (const auto& change : changes) {
        const bool accepted = is_accepted(change.after);
        if (change.before && is_accepted(*change.before)
            && !(accepted && change.before->number == change.after.number))
            remove_system(change.before->number, change.before->print);
        if (accepted) add_system(change.after);
    }
}

// A key may take over the number of another, and either change may come first. The number belongs
// to the system that was accepted last.
void index::add_system(const system_record& record) {
    const auto number = record.number;
    auto& system = indexed_systems_.at(number);
    change_words(number, system.words.view(), false);
    const auto print = fleet::system_map::prefix_of(record.print);
    if (system.print != print) facts_.set(number, {});
    system.print = print;
    system.words = packed_text(words_of(record));
    all_.add(number);
    names_.set(number, record.name);
    change_words(number, system.words.view(), true);
}

void index::remove_system(system_number system_number, const fingerprint& print) {
    auto& system = indexed_systems_.at(system_number);
    if (system.print != fleet::system_map::prefix_of(print)) return;
    change_words(system_number, system.words.view(), false);
    system = indexed_system();
    all_.remove(system_number);
    names_.set(system_number, {});
    facts_.set(system_number, {});
}

void index::change_words(system_number system_number, std::string_view lines, bool present) {
    while (!lines.empty()) {
        const auto end = lines.find('\n');
        auto& words = lines.front() == zone_line  ? zones_
                      : lines.front() == tag_line ? tags_
                                                  : groups_;
        const auto word = lines.substr(1, end - 1);
        if (present)
            words.add(word, system_number);
        else
            words.remove(word, system_number);
        lines.remove_prefix(end + 1);
    }
}

void index::set_facts(system_number system_number, std::span<const fact> facts) {
    if (!facts.empty() && !all_.contains(system_number)) return;
    facts_.set(system_number, facts);
}

system_set index::evaluate(const query& query, const other_fields& others) const {
    if (query.means_nobody()) return {};
    return evaluate_node({.expression = query, .others = others}, query.root(), all_);
}

system_set index::evaluate_node(
    const evaluation& context, std::size_t node, const system_set& within) const {
    if (within.empty()) return {};
    const auto& current = context.expression.nodes()[node];
    if (const auto* const leaf = std::get_if<query::term>(&current))
        return evaluate_term(context, leaf->condition, within);
    const auto& inner = std::get<query::operation>(current);
    switch (inner.type) {
        case kind::both:
            return evaluate_all(context, node, within);
        case kind::either: {
            auto match = evaluate_node(context, inner.first, within);
            match |= evaluate_node(context, inner.second, within - match);
            return match;
        }
        case kind::negation:
            return within - evaluate_node(context, inner.first, within);
    }
    MUSTER_ASSERT(false);
    return {};
}

system_set index::evaluate_all(
    const evaluation& context, std::size_t node, const system_set& within) const {
    std::vector<std::size_t> conjuncts;
    add_conjuncts(context.expression, node, conjuncts);
    std::vector<std::pair<int, std::size_t>> by_cost;
    for (const auto conjunct : conjuncts)
        by_cost.emplace_back(cost_of(context.expression, conjunct, facts_), conjunct);
    std::ranges::sort(by_cost);
    auto remaining = evaluate_node(context, by_cost.front().second, within);
    for (std::size_t index = 1; index < by_cost.size() && !remaining.empty(); ++index)
        remaining = evaluate_node(context, by_cost[index].second, remaining);
    return remaining;
}

system_set index::evaluate_term(
    const evaluation& context, const condition& condition, const system_set& within) const {
    return std::visit(
        overloaded{
            [&](const field_condition& text) { return evaluate_field(context, text, within); },
            [&](const fact_condition& tests) { return facts_.matching(tests, within); },
            [&](const list_condition& list) {
                system_set match;
                for (const auto& name : list.names) match |= names_.named(name, within);
                return match;
            },
            [&](const network_condition& network) { return facts_.matching(network, within); },
            [](const never_matches&) {
                return system_set();
            }},
        condition);
}

system_set index::evaluate_field(
    const evaluation& context,
    const field_condition& field_condition,
    const system_set& within) const {
    switch (field_condition.field) {
        case field::name:
            return names_.matching(field_condition.test, within);
        case field::tag:
            return tags_.matching(field_condition.test, within);
        case field::group:
            return groups_.matching(field_condition.test, within);
        case field::zone:
            return zones_.matching(field_condition.test, within);
        case field::number:
            return by_number(field_condition.test, within);
        case field::state:
        case field::node:
        case field::print:
        case field::machine:
            return context.others.among(field_condition, within);
    }
    MUSTER_ASSERT(false);
    return {};
}

system_set index::by_number(const text_pattern& test, const system_set& within) const {
    system_set match;
    if (!test.is_literal()) {
        within.for_each([&](system_number system_number) {
            if (test.matches(std::to_string(system_number.value()))) match.add(system_number);
        });
        return match;
    }
    std::uint32_t number = 0;
    const auto& text = test.source();
    const auto [digits_end, failure] =
        std::from_chars(text.data(), text.data() + text.size(), number);
    const bool complete = failure == std::errc() && digits_end == text.data() + text.size();
    // "007" is no number of a system: it is not how one is written.
    if (complete && std::to_string(number) == text && within.contains(system_number(number)))
        match.add(system_number(number));
    return match;
}

std::vector<std::string> index::missing(std::span<const std::string> names) const {
    std::vector<std::string> missing_names;
    for (const auto& name : names)
        if (names_.named(name, all_).empty()) missing_names.push_back(name);
    return missing_names;
}

}  // namespace muster::targeting
