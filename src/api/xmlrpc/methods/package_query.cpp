#include "api/xmlrpc/methods/package_query.h"

#include <algorithm>
#include <array>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

constexpr std::array fields{
    "name", "epoch", "version", "release", "arch", "summary", "description"};

std::string in_small_letters(std::string_view text) {
    std::string result(text);
    for (auto& each : result)
        if (each >= 'A' && each <= 'Z') each = static_cast<char>(each - 'A' + 'a');
    return result;
}

// Takes a word off the front; one in quotes may have blanks.
std::string take_word(std::string_view& text) {
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

// Goes back to the last star only: no more than the product of both sizes.
bool fits_pattern(std::string_view text, std::string_view pattern) {
    std::size_t at = 0;
    std::size_t in_pattern = 0;
    auto star = std::string_view::npos;
    std::size_t retry = 0;
    while (at < text.size()) {
        if (in_pattern < pattern.size() && pattern[in_pattern] == '*') {
            star = in_pattern++;
            retry = at;
        } else if (
            in_pattern < pattern.size()
            && (pattern[in_pattern] == '?' || pattern[in_pattern] == text[at])) {
            ++in_pattern;
            ++at;
        } else if (star != std::string_view::npos) {
            in_pattern = star + 1;
            at = ++retry;
        } else {
            return false;
        }
    }
    while (in_pattern < pattern.size() && pattern[in_pattern] == '*') ++in_pattern;
    return in_pattern == pattern.size();
}

result<package_query> package_query::parse(std::string_view text) {
    if (text.size() > text_bytes_max)
        return fail(errc::invalid, "a search for packages has at most 1024 bytes");
    package_query result;
    bool joined = false;
    bool negated = false;
    std::size_t count = 0;
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (!text.empty()) {
        auto word = take_word(text);
        if (word == "AND" || word == "&&") {
            joined = true;
            continue;
        }
        if (word == "OR" || word == "||") continue;
        if (word == "NOT") {
            negated = true;
            continue;
        }
        if (word.contains('(') || word.contains(')'))
            return fail(errc::invalid, "brackets are not understood in a search for packages");
        term term{.negated = std::exchange(negated, false)};
        const auto colon = word.find(':');
        if (colon != std::string::npos) term.field = word.substr(0, colon);
        if (colon != std::string::npos && std::ranges::count(fields, term.field) == 0)
            return fail(
                errc::invalid, "there is no field " + term.field + " to search packages by");
        term.pattern = in_small_letters(colon == std::string::npos ? word : word.substr(colon + 1));
        if (++count > terms_max) return fail(errc::invalid, "the search has too many terms");
        if (std::exchange(joined, false) && !result.any_of_.empty())
            result.any_of_.back().push_back(std::move(term));
        else
            result.any_of_.push_back({std::move(term)});
    }
    if (result.any_of_.empty()) return fail(errc::invalid, "the search for packages is empty");
    return result;
}

bool package_query::matches(const term& term, const content::stored_package& stored_package) {
    const auto has = [&term](const std::string& text) {
        return fits_pattern(in_small_letters(text), term.pattern);
    };
    if (term.field == "name") return has(stored_package.what.name);
    if (term.field == "epoch") return has(stored_package.what.at.epoch);
    if (term.field == "version") return has(stored_package.what.at.version);
    if (term.field == "release") return has(stored_package.what.at.release);
    if (term.field == "arch") return has(stored_package.what.arch);
    const auto anywhere = "*" + term.pattern + "*";
    const bool in_summary = fits_pattern(in_small_letters(stored_package.summary), anywhere);
    return in_summary
           || (term.field.empty()
               && fits_pattern(in_small_letters(stored_package.what.name), anywhere));
}

bool package_query::matches(const content::stored_package& stored_package) const {
    return std::ranges::any_of(any_of_, [&stored_package](const std::vector<term>& all) {
        return std::ranges::all_of(all, [&stored_package](const term& term) {
            return matches(term, stored_package) != term.negated;
        });
    });
}

}  // namespace muster::xmlrpc_api
