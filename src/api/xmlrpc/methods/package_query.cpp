#include "api/xmlrpc/methods/package_query.h"

#include <algorithm>
#include <array>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

constexpr std::array fields{
    "name", "epoch", "version", "release", "arch", "summary", "description"};

std::string in_small_letters(std::string_view text) {
    std::string made(text);
    for (auto& each : made)
        if (each >= 'A' && each <= 'Z') each = static_cast<char>(each - 'A' + 'a');
    return made;
}

// Takes a word off the front; one in quotes may have blanks.
std::string take_word(std::string_view& text) {
    std::string made;
    bool quoted = false;
    while (!text.empty() && (quoted || text.front() != ' ')) {
        if (text.front() == '"')
            quoted = !quoted;
        else
            made += text.front();
        text.remove_prefix(1);
    }
    while (text.starts_with(' ')) text.remove_prefix(1);
    return made;
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
    package_query made;
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
        term one{.negated = std::exchange(negated, false)};
        const auto colon = word.find(':');
        if (colon != std::string::npos) one.field = word.substr(0, colon);
        if (colon != std::string::npos && std::ranges::count(fields, one.field) == 0)
            return fail(errc::invalid, "there is no field " + one.field + " to search packages by");
        one.pattern = in_small_letters(colon == std::string::npos ? word : word.substr(colon + 1));
        if (++count > terms_max) return fail(errc::invalid, "the search has too many terms");
        if (std::exchange(joined, false) && !made.any_of_.empty())
            made.any_of_.back().push_back(std::move(one));
        else
            made.any_of_.push_back({std::move(one)});
    }
    if (made.any_of_.empty()) return fail(errc::invalid, "the search for packages is empty");
    return made;
}

bool package_query::matches(const term& one, const content::stored_package& what) {
    const auto has = [&one](const std::string& text) {
        return fits_pattern(in_small_letters(text), one.pattern);
    };
    if (one.field == "name") return has(what.what.name);
    if (one.field == "epoch") return has(what.what.at.epoch);
    if (one.field == "version") return has(what.what.at.version);
    if (one.field == "release") return has(what.what.at.release);
    if (one.field == "arch") return has(what.what.arch);
    const auto anywhere = "*" + one.pattern + "*";
    const bool in_summary = fits_pattern(in_small_letters(what.summary), anywhere);
    return in_summary
           || (one.field.empty() && fits_pattern(in_small_letters(what.what.name), anywhere));
}

bool package_query::matches(const content::stored_package& what) const {
    return std::ranges::any_of(any_of_, [&what](const std::vector<term>& all) {
        return std::ranges::all_of(
            all, [&what](const term& one) { return matches(one, what) != one.negated; });
    });
}

}  // namespace muster::xmlrpc_api
