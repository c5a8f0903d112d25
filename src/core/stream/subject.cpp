#include "core/stream/subject.h"

#include "core/stream/message.h"

#include <algorithm>
#include <string>

namespace muster::stream {

namespace {

enum class text_kind { subject, pattern };

std::string_view name_of(text_kind kind) {
    return kind == text_kind::subject ? "subject" : "pattern";
}

std::unexpected<error> invalid(text_kind kind, std::string_view text, std::string_view problem) {
    std::string detail(name_of(kind));
    detail.append(" '")
        .append(text.substr(0, limits::subject_bytes_max))
        .append("' ")
        .append(problem);
    return fail(errc::invalid, std::move(detail));
}

bool is_word_letter(char letter) {
    return letter > ' ' && letter <= '~' && letter != '*' && letter != '>';
}

// Removes the first word from `rest` and returns it.
std::string_view next_word(std::string_view& rest) {
    const auto dot = rest.find('.');
    const auto word = rest.substr(0, dot);
    rest = dot == std::string_view::npos ? std::string_view() : rest.substr(dot + 1);
    return word;
}

result<void> validate(text_kind kind, std::string_view text) {
    if (text.empty()) return invalid(kind, text, "is empty");
    if (text.size() > limits::subject_bytes_max) {
        return invalid(
            kind, text, "is longer than " + std::to_string(limits::subject_bytes_max) + " bytes");
    }
    if (text.back() == '.') return invalid(kind, text, "has an empty word");
    std::size_t words = 0;
    for (auto rest = text; !rest.empty();) {
        const auto word = next_word(rest);
        if (++words > limits::subject_words_max) {
            return invalid(
                kind,
                text,
                "has more than " + std::to_string(limits::subject_words_max) + " words");
        }
        if (word.empty()) return invalid(kind, text, "has an empty word");
        const bool any_word = kind == text_kind::pattern && word == "*";
        const bool any_rest = kind == text_kind::pattern && word == ">" && rest.empty();
        if (any_word || any_rest || std::ranges::all_of(word, is_word_letter)) continue;
        return invalid(
            kind,
            text,
            kind == text_kind::pattern
                ? "may have '*' only as a whole word and '>' only as the last word"
                : "may have only visible ASCII characters without '*' and '>'");
    }
    return {};
}

}  // namespace

result<void> validate_subject(std::string_view subject) {
    return validate(text_kind::subject, subject);
}

result<void> validate_pattern(std::string_view pattern) {
    return validate(text_kind::pattern, pattern);
}

bool matches(std::string_view pattern, std::string_view subject) {
    while (!pattern.empty() && !subject.empty()) {
        const auto pattern_word = next_word(pattern);
        if (pattern_word == ">") return true;
        const auto word = next_word(subject);
        if (pattern_word != "*" && pattern_word != word) return false;
    }
    return pattern.empty() && subject.empty();
}

}  // namespace muster::stream
