#include "core/stream/subject.h"

#include "core/stream/message.h"

#include <algorithm>
#include <string>

namespace muster::stream {

namespace {

enum class kind { subject, pattern };

std::string_view name_of(kind what) {
    return what == kind::subject ? "subject" : "pattern";
}

std::unexpected<error> refuse(kind kind, std::string_view text, std::string_view why) {
    std::string detail(name_of(kind));
    detail.append(" '").append(text.substr(0, limits::subject_bytes_max)).append("' ").append(why);
    return fail(errc::invalid, std::move(detail));
}

bool belongs_in_word(char letter) {
    return letter > ' ' && letter <= '~' && letter != '*' && letter != '>';
}

// Takes the first word off `rest`.
std::string_view next_word(std::string_view& rest) {
    const auto dot = rest.find('.');
    const auto word = rest.substr(0, dot);
    rest = dot == std::string_view::npos ? std::string_view() : rest.substr(dot + 1);
    return word;
}

result<void> validate(kind what, std::string_view text) {
    if (text.empty()) return refuse(what, text, "is empty");
    if (text.size() > limits::subject_bytes_max) {
        return refuse(
            what, text, "is longer than " + std::to_string(limits::subject_bytes_max) + " bytes");
    }
    if (text.back() == '.') return refuse(what, text, "has an empty word");
    std::size_t words = 0;
    for (auto rest = text; !rest.empty();) {
        const auto word = next_word(rest);
        if (++words > limits::subject_words_max) {
            return refuse(
                what,
                text,
                "has more than " + std::to_string(limits::subject_words_max) + " words");
        }
        if (word.empty()) return refuse(what, text, "has an empty word");
        const bool any_word = what == kind::pattern && word == "*";
        const bool any_rest = what == kind::pattern && word == ">" && rest.empty();
        if (any_word || any_rest || std::ranges::all_of(word, belongs_in_word)) continue;
        return refuse(
            what,
            text,
            what == kind::pattern
                ? "may have '*' only as a whole word and '>' only as the last word"
                : "may have only visible ASCII characters without '*' and '>'");
    }
    return {};
}

}  // namespace

result<void> validate_subject(std::string_view subject) {
    return validate(kind::subject, subject);
}

result<void> validate_pattern(std::string_view pattern) {
    return validate(kind::pattern, pattern);
}

bool matches(std::string_view pattern, std::string_view subject) {
    while (!pattern.empty() && !subject.empty()) {
        const auto desired = next_word(pattern);
        if (desired == ">") return true;
        const auto word = next_word(subject);
        if (desired != "*" && desired != word) return false;
    }
    return pattern.empty() && subject.empty();
}

}  // namespace muster::stream
