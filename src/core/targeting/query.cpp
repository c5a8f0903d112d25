#include "core/targeting/query.h"

#include "base/assert.h"
#include "core/targeting/parser.h"

#include <algorithm>
#include <charconv>

namespace muster::targeting {

result<query> query::parse(std::string_view text, const options& options) {
    if (text.size() > query_limits::bytes_max)
        return fail(
            errc::invalid,
            "query is longer than " + std::to_string(query_limits::bytes_max) + " bytes");
    return parser(options).parse(text);
}

bool query::matches(const subject& subject) const {
    return !means_nobody() && matches_node(root(), subject);
}

bool query::matches_node(std::size_t node, const subject& subject) const {
    if (const auto* const leaf = std::get_if<term>(&nodes_[node]))
        return meets(subject, leaf->condition);
    const auto& inner = std::get<operation>(nodes_[node]);
    switch (inner.type) {
        case operation::kind::both:
            return matches_node(inner.first, subject) && matches_node(inner.second, subject);
        case operation::kind::either:
            return matches_node(inner.first, subject) || matches_node(inner.second, subject);
        case operation::kind::negation:
            return !matches_node(inner.first, subject);
    }
    MUSTER_ASSERT(false);
    return false;
}

std::vector<std::string> query::listed_names() const {
    std::vector<std::string> names;
    add_listed(root(), false, names);
    std::ranges::sort(names);
    const auto duplicates = std::ranges::unique(names);
    names.erase(duplicates.begin(), duplicates.end());
    return names;
}

void query::add_listed(std::size_t node, bool negated, std::vector<std::string>& names) const {
    if (const auto* const leaf = std::get_if<term>(&nodes_[node])) {
        const auto* const list = std::get_if<list_condition>(&leaf->condition);
        if (list != nullptr && !negated)
            names.insert(names.end(), list->names.begin(), list->names.end());
        return;
    }
    const auto& inner = std::get<operation>(nodes_[node]);
    const bool negates = inner.type == operation::kind::negation;
    add_listed(inner.first, negated != negates, names);
    if (!negates) add_listed(inner.second, negated, names);
}

bool query::needs_facts() const {
    return std::ranges::any_of(nodes_, [](const node& node) {
        const auto* const leaf = std::get_if<term>(&node);
        return leaf != nullptr && targeting::needs_facts(leaf->condition);
    });
}

result<void> query::check_effort() const {
    for (const auto& node : nodes_) {
        const auto* const leaf = std::get_if<term>(&node);
        if (leaf != nullptr && gave_up(leaf->condition))
            return fail_at(leaf->at, "regular expression takes too long; avoid nested repetitions");
    }
    return {};
}

std::optional<std::size_t> position_of(const error& failure) {
    const std::string_view text = failure.detail();
    const auto it = text.find("at ");
    if (it == std::string_view::npos) return std::nullopt;
    std::size_t position = 0;
    const auto* const from = text.data() + it + 3;
    const auto* const end = text.data() + text.size();
    const auto [digits_end, failed] = std::from_chars(from, end, position);
    if (failed != std::errc() || digits_end == end || *digits_end != ':') return std::nullopt;
    return position;
}

}  // namespace muster::targeting
