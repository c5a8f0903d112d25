#include "core/targeting/glob.h"

#include <cstddef>
#include <optional>

namespace muster::targeting {
namespace {

struct set_match {
    bool inside = false;
    std::size_t size = 0;  // of the set in the pattern, brackets included
};

// The pattern starts with '['. Nothing when it is never closed: then '[' stands for itself.
std::optional<set_match> match_set(std::string_view pattern, char letter) {
    std::size_t at = 1;
    const bool negated = at < pattern.size() && pattern[at] == '!';
    if (negated) ++at;
    const auto start = at;
    bool inside = false;
    while (at < pattern.size() && (pattern[at] != ']' || at == start)) {
        const char first = pattern[at];
        const bool range =
            at + 2 < pattern.size() && pattern[at + 1] == '-' && pattern[at + 2] != ']';
        const char last = range ? pattern[at + 2] : first;
        if (first <= letter && letter <= last) inside = true;
        at += range ? 3 : 1;
    }
    if (at >= pattern.size()) return std::nullopt;
    return set_match{.inside = inside != negated, .size = at + 1};
}

// How much of the pattern matches one letter: nothing when it does not.
std::optional<std::size_t> match_one(std::string_view pattern, char letter) {
    if (pattern.empty()) return std::nullopt;
    if (pattern.front() == '?') return 1;
    if (pattern.front() == '[') {
        if (const auto set = match_set(pattern, letter)) {
            if (!set->inside) return std::nullopt;
            return set->size;
        }
    }
    if (pattern.front() != letter) return std::nullopt;
    return 1;
}

}  // namespace

bool glob_matches(std::string_view pattern, std::string_view text) {
    std::size_t in_pattern = 0;
    std::size_t in_text = 0;
    // Where to go on when the run that the last star stands for has to be longer by one.
    std::optional<std::size_t> after_star;
    std::size_t star_ends = 0;
    while (in_text < text.size()) {
        const auto rest = pattern.substr(in_pattern);
        if (rest.starts_with('*')) {
            after_star = ++in_pattern;
            star_ends = in_text;
        } else if (const auto used = match_one(rest, text[in_text])) {
            in_pattern += *used;
            ++in_text;
        } else if (after_star) {
            in_pattern = *after_star;
            in_text = ++star_ends;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', in_pattern) == std::string_view::npos;
}

bool is_glob(std::string_view pattern) {
    return pattern.find_first_of("*?[") != std::string_view::npos;
}

}  // namespace muster::targeting
