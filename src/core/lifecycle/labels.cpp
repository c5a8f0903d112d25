#include "core/lifecycle/labels.h"

#include <algorithm>

namespace muster::lifecycle {
namespace {

bool is_letter_of_word(char letter) {
    constexpr std::string_view others = "-_.:/@+";
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z')
           || (letter >= '0' && letter <= '9') || others.find(letter) != std::string_view::npos;
}

bool is_word(std::string_view text) {
    return !text.empty() && text.size() <= label_limits::bytes_max
           && std::ranges::all_of(text, is_letter_of_word);
}

}  // namespace

result<void> check_labels(std::string_view text, const std::vector<std::string>& words) {
    if (words.size() > label_limits::words_max)
        return fail(
            errc::invalid,
            "a system has at most " + std::to_string(label_limits::words_max) + " "
                + std::string(text) + "s");
    for (const auto& word : words) {
        if (is_word(word)) continue;
        return fail(
            errc::invalid,
            "`" + word.substr(0, label_limits::bytes_max) + "` is no " + std::string(text)
                + ": it is made of 1 to 63 letters, digits and -_.:/@+");
    }
    return {};
}

std::vector<std::string> sorted_words(std::vector<std::string> words) {
    std::ranges::sort(words);
    const auto repeated = std::ranges::unique(words);
    words.erase(repeated.begin(), repeated.end());
    return words;
}

std::string join_words(const std::vector<std::string>& words) {
    std::string text;
    for (const auto& word : words) {
        if (!text.empty()) text += ' ';
        text += word;
    }
    return text;
}

std::vector<std::string> split_words(std::string_view text) {
    std::vector<std::string> words;
    while (!text.empty()) {
        const auto end = std::min(text.find(' '), text.size());
        if (end > 0) words.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return words;
}

}  // namespace muster::lifecycle
