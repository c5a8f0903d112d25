#include "api/xmlrpc/methods/package_query.h"

#include <algorithm>
#include <array>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

constexpr std::array fields{
    "name", "epoch", "version", "release", "arch", "summary", "description"};

std::string to_lower(std::string_view text) {
    std::string result(text);
    for (auto& letter : result)
        if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    return result;
}

// Removes the first word from the text; a word in quotes may have blanks.
std::string pop_word(std::string_view& text) {
    std::string result;
    bool quoted = false;
    while (!text.empty() && (quoted || text.front() != ' ')) {
        if (text.front() == '"')
            quoted = !quoted;
        else
            result += text.front();
        text.remove_prefix(1);
    }
    while (text.starts_with(' ')) text.remove_prefix(1);
    return result;
}

}  // namespace

// Backtracks to the last star only, so the time is at most the product of both sizes.
bool matches_pattern(std::string_view text, std::string_view pattern) {
    std::size_t text_position = 0;
    std::size_t pattern_position = 0;
    auto star = std::string_view::npos;
    std::size_t retry = 0;
    while (text_position < text.size()) {
        if (pattern_position < pattern.size() && pattern[pattern_position] == '*') {
            star = pattern_position++;
            retry = text_position;
        } else if (
            pattern_position < pattern.size()
            && (pattern[pattern_position] == '?'
                || pattern[pattern_position] == text[text_position])) {
            ++pattern_position;
            ++text_position;
        } else if (star != std::string_view::npos) {
            pattern_position = star + 1;
            text_position = ++retry;
        } else {
            return false;
        }
    }
    while (pattern_position < pattern.size() && pattern[pattern_position] == '*')
        ++pattern_position;
    return pattern_position == pattern.size();
}

result<package_query::term> package_query::parse_term(const std::string& word) {
    if (word.contains('(') || word.contains(')'))
        return fail(errc::invalid, "brackets are not supported in a package search");
    term parsed;
    const auto colon = word.find(':');
    if (colon != std::string::npos) parsed.field = word.substr(0, colon);
    if (colon != std::string::npos && std::ranges::count(fields, parsed.field) == 0)
        return fail(errc::invalid, "unknown field " + parsed.field + " in a package search");
    parsed.pattern = to_lower(colon == std::string::npos ? word : word.substr(colon + 1));
    return parsed;
}

result<package_query> package_query::parse(std::string_view text) {
    if (text.size() > text_bytes_max)
        return fail(errc::invalid, "text of the package search is longer than 1024 bytes");
    package_query result;
    bool after_and = false;
    bool negated = false;
    std::size_t count = 0;
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (!text.empty()) {
        auto word = pop_word(text);
        if (word == "AND" || word == "&&") {
            after_and = true;
            continue;
        }
        if (word == "OR" || word == "||") continue;
        if (word == "NOT") {
            negated = true;
            continue;
        }
        TRY(auto term, parse_term(word));
        term.negated = std::exchange(negated, false);
        if (++count > terms_max) return fail(errc::invalid, "package search has too many terms");
        if (std::exchange(after_and, false) && !result.any_of_.empty())
            result.any_of_.back().push_back(std::move(term));
        else
            result.any_of_.push_back({std::move(term)});
    }
    if (result.any_of_.empty()) return fail(errc::invalid, "package search is empty");
    return result;
}

bool package_query::matches(const term& term, const content::stored_package& package) {
    const auto matches_field = [&term](const std::string& text) {
        return matches_pattern(to_lower(text), term.pattern);
    };
    if (term.field == "name") return matches_field(package.what.name);
    if (term.field == "epoch") return matches_field(package.what.at.epoch);
    if (term.field == "version") return matches_field(package.what.at.version);
    if (term.field == "release") return matches_field(package.what.at.release);
    if (term.field == "arch") return matches_field(package.what.arch);
    const auto substring_pattern = "*" + term.pattern + "*";
    const bool in_summary = matches_pattern(to_lower(package.summary), substring_pattern);
    return in_summary
           || (term.field.empty()
               && matches_pattern(to_lower(package.what.name), substring_pattern));
}

bool package_query::matches(const content::stored_package& package) const {
    return std::ranges::any_of(any_of_, [&package](const std::vector<term>& terms) {
        return std::ranges::all_of(
            terms, [&package](const term& term) { return matches(term, package) != term.negated; });
    });
}

}  // namespace muster::xmlrpc_api
