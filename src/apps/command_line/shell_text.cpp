#include "apps/command_line/shell_text.h"

#include "apps/command_line/command_description.h"

#include <algorithm>

namespace muster::command_line {
namespace {

bool is_plain(char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z')
           || (letter >= '0' && letter <= '9') || letter == '-' || letter == '_' || letter == '.';
}

}  // namespace

std::string shell_quoted(std::string_view text) {
    std::string result = "'";
    for (const char each : text) {
        if (each == '\'') {
            result += R"('\'')";
        } else {
            result += each;
        }
    }
    return result + "'";
}

std::string fish_quoted(std::string_view text) {
    std::string result = "'";
    for (const char each : text) {
        if (each == '\'' || each == '\\') result += '\\';
        result += each;
    }
    return result + "'";
}

std::string spaced(std::span<const std::string> words) {
    std::string result;
    for (const auto& word : words) result += (result.empty() ? "" : " ") + word;
    return result;
}

std::vector<std::string> flags_with_value(const command_description& of) {
    std::vector<std::string> matches;
    for (const auto& option : of.options) {
        if (!option.value.empty())
            matches.insert(matches.end(), option.flags.begin(), option.flags.end());
    }
    return matches;
}

std::vector<std::string> plain_words(std::span<const std::string> words) {
    std::vector<std::string> plain;
    for (const auto& word : words) {
        if (!word.empty() && std::ranges::all_of(word, is_plain)) plain.push_back(word);
    }
    return plain;
}

std::string with_name(std::string_view text, const std::string& name) {
    std::string result;
    char before = ' ';
    for (const char each : text) {
        if (each == '@' && before != '$') {
            result += name;
        } else {
            result += each;
        }
        before = each;
    }
    return result;
}

std::string first_line(std::string_view text) {
    return std::string(text.substr(0, text.find('\n')));
}

}  // namespace muster::command_line
