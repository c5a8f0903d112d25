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
            "the query has more than " + std::to_string(query_limits::bytes_max) + " bytes");
    return parser(options).parse(text);
}

bool query::matches(const subject& subject) const {
    return !means_nobody() && holds(root(), subject);
}

bool query::holds(std::size_t at, const subject& subject) const {
    if (const auto* const leaf = std::get_if<term>(&nodes_[at])) return meets(subject, leaf->asked);
    const auto& inner = std::get<operation>(nodes_[at]);
    switch (inner.what) {
        case operation::kind::both:
            return holds(inner.first, subject) && holds(inner.second, subject);
        case operation::kind::either:
            return holds(inner.first, subject) || holds(inner.second, subject);
        case operation::kind::negation:
            return !holds(inner.first, subject);
    }
    MUSTER_ASSERT(false);
    return false;
}

std::vector<std::string> query::listed_names() const {
    std::vector<std::string> names;
    add_listed(root(), false, names);
    std::ranges::sort(names);
    const auto doubled = std::ranges::unique(names);
    names.erase(doubled.begin(), doubled.end());
    return names;
}

void query::add_listed(std::size_t at, bool negated, std::vector<std::string>& into) const {
    if (const auto* const leaf = std::get_if<term>(&nodes_[at])) {
        const auto* const list = std::get_if<list_condition>(&leaf->asked);
        if (list != nullptr && !negated)
            into.insert(into.end(), list->names.begin(), list->names.end());
        return;
    }
    const auto& inner = std::get<operation>(nodes_[at]);
    const bool flips = inner.what == operation::kind::negation;
    add_listed(inner.first, negated != flips, into);
    if (!flips) add_listed(inner.second, negated, into);
}

bool query::needs_facts() const {
    return std::ranges::any_of(nodes_, [](const node& node) {
        const auto* const leaf = std::get_if<term>(&node);
        return leaf != nullptr && targeting::needs_facts(leaf->asked);
    });
}

result<void> query::check_effort() const {
    for (const auto& node : nodes_) {
        const auto* const leaf = std::get_if<term>(&node);
        if (leaf != nullptr && gave_up(leaf->asked))
            return fail_at(
                leaf->at,
                "this regular expression takes too long; avoid repetitions within repetitions");
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
    const auto [stopped, wrong] = std::from_chars(from, end, position);
    if (wrong != std::errc() || stopped == end || *stopped != ':') return std::nullopt;
    return position;
}

}  // namespace muster::targeting
