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

bool is_in(const system_record& record) {
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

// So many values of facts are looked at in the time that names take.
constexpr std::size_t few_values = 2'000;
// And so many before it is better to have fewer systems first.
constexpr std::size_t some_more_values = 40'000;

// What narrows the set down for the least is asked first; what looks at each of what is left, last.
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
        const auto looks = facts.looks_for(*tests);
        if (looks <= few_values) return some_values;
        return looks <= some_more_values ? more_values : many_values;
    }
    if (std::holds_alternative<network_condition>(condition)) return each_address;
    const auto* const text = std::get_if<field_condition>(&condition);
    if (text == nullptr) return lookup;
    switch (text->which) {
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

int cost_of(const query& of, std::size_t at, const fact_index& facts) {
    if (const auto* const leaf = std::get_if<query::term>(&of.nodes()[at]))
        return cost_of(leaf->asked, facts);
    const auto& inner = std::get<query::operation>(of.nodes()[at]);
    const auto first = cost_of(of, inner.first, facts);
    return inner.what == kind::negation ? first : std::max(first, cost_of(of, inner.second, facts));
}

// The conditions of a chain of `and`, however they are nested.
void add_conjuncts(const query& of, std::size_t at, std::vector<std::size_t>& into) {
    const auto* const inner = std::get_if<query::operation>(&of.nodes()[at]);
    if (inner == nullptr || inner->what != kind::both) {
        into.push_back(at);
        return;
    }
    add_conjuncts(of, inner->first, into);
    add_conjuncts(of, inner->second, into);
}

}  // namespace

void index::apply(std::span<const fleet::change> changes) {
    for (const auto& change : changes) {
        const bool is = is_in(change.after);
        if (change.before && is_in(*change.before)
            && !(is && change.before->number == change.after.number))
            let_go(change.before->number, change.before->print);
        if (is) take_in(change.after);
    }
}

// A key may take over the number of another, and of the two changes either may come first: who
// holds a number is who was accepted under it last.
void index::take_in(const system_record& record) {
    const auto who = record.number;
    auto& held = held_.at(who);
    change_words(who, held.words.view(), false);
    const auto print = fleet::system_map::prefix_of(record.print);
    if (held.print != print) facts_.set(who, {});
    held.print = print;
    held.words = packed_text(words_of(record));
    all_.add(who);
    names_.set(who, record.name);
    change_words(who, held.words.view(), true);
}

void index::let_go(system_number system_number, const fingerprint& print) {
    auto& held = held_.at(system_number);
    if (held.print != fleet::system_map::prefix_of(print)) return;
    change_words(system_number, held.words.view(), false);
    held = holder();
    all_.remove(system_number);
    names_.set(system_number, {});
    facts_.set(system_number, {});
}

void index::change_words(system_number system_number, std::string_view lines, bool there) {
    while (!lines.empty()) {
        const auto end = lines.find('\n');
        auto& stored = lines.front() == zone_line  ? zones_
                       : lines.front() == tag_line ? tags_
                                                   : groups_;
        const auto word = lines.substr(1, end - 1);
        if (there)
            stored.add(word, system_number);
        else
            stored.remove(word, system_number);
        lines.remove_prefix(end + 1);
    }
}

void index::set_facts(system_number system_number, std::span<const fact> facts) {
    if (!facts.empty() && !all_.contains(system_number)) return;
    facts_.set(system_number, facts);
}

system_set index::answer(const query& query, const other_fields& others) const {
    if (query.means_nobody()) return {};
    return part({.expression = query, .others = others}, query.root(), all_);
}

system_set index::part(const asking& asking, std::size_t node, const system_set& within) const {
    if (within.empty()) return {};
    const auto& here = asking.expression.nodes()[node];
    if (const auto* const leaf = std::get_if<query::term>(&here))
        return term(asking, leaf->asked, within);
    const auto& inner = std::get<query::operation>(here);
    switch (inner.what) {
        case kind::both:
            return every(asking, node, within);
        case kind::either: {
            auto match = part(asking, inner.first, within);
            match |= part(asking, inner.second, within - match);
            return match;
        }
        case kind::negation:
            return within - part(asking, inner.first, within);
    }
    MUSTER_ASSERT(false);
    return {};
}

system_set index::every(const asking& asking, std::size_t node, const system_set& within) const {
    std::vector<std::size_t> all;
    add_conjuncts(asking.expression, node, all);
    std::vector<std::pair<int, std::size_t>> in_order;
    for (const auto at : all) in_order.emplace_back(cost_of(asking.expression, at, facts_), at);
    std::ranges::sort(in_order);
    auto left = part(asking, in_order.front().second, within);
    for (std::size_t at = 1; at < in_order.size() && !left.empty(); ++at)
        left = part(asking, in_order[at].second, left);
    return left;
}

system_set index::term(
    const asking& asking, const condition& condition, const system_set& within) const {
    return std::visit(
        overloaded{
            [&](const field_condition& text) { return field_term(asking, text, within); },
            [&](const fact_condition& tests) { return facts_.matching(tests, within); },
            [&](const list_condition& list) {
                system_set match;
                for (const auto& name : list.names) match |= names_.named(name, within);
                return match;
            },
            [&](const network_condition& place) { return facts_.matching(place, within); },
            [](const impossible&) {
                return system_set();
            }},
        condition);
}

system_set index::field_term(
    const asking& asking, const field_condition& field_condition, const system_set& within) const {
    switch (field_condition.which) {
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
            return asking.others.among(field_condition, within);
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
    const auto [stopped, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool whole = failure == std::errc() && stopped == text.data() + text.size();
    // "007" is no number of a system: it is not how one is written.
    if (whole && std::to_string(number) == text && within.contains(system_number(number)))
        match.add(system_number(number));
    return match;
}

std::vector<std::string> index::missing(std::span<const std::string> names) const {
    std::vector<std::string> none;
    for (const auto& name : names)
        if (names_.named(name, all_).empty()) none.push_back(name);
    return none;
}

}  // namespace muster::targeting
