#include "apps/command_line/shell_text.h"

#include "apps/command_line/command_description.h"

#include <algorithm>

namespace muster::command_line {
namespace {

bool is_safe(char character) {
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z')
           || (character >= '0' && character <= '9') || character == '-' || character == '_'
           || character == '.';
}

}  // namespace

std::string quote_for_shell(std::string_view text) {
    std::string result = "'";
    for (const char character : text) {
        if (character == '\'') {
            result += R"('\'')";
        } else {
            result += character;
        }
    }
    return result + "'";
}

std::string quote_for_fish(std::string_view text) {
    std::string result = "'";
    for (const char character : text) {
        if (character == '\'' || character == '\\') result += '\\';
        result += character;
    }
    return result + "'";
}

std::string join_words(std::span<const std::string> words) {
    std::string result;
    for (const auto& word : words) result += (result.empty() ? "" : " ") + word;
    return result;
}

std::vector<std::string> flags_with_value(const command_description& command) {
    std::vector<std::string> flags;
    for (const auto& option : command.options) {
        if (!option.value.empty())
            flags.insert(flags.end(), option.flags.begin(), option.flags.end());
    }
    return flags;
}

std::vector<std::string> safe_words(std::span<const std::string> words) {
    std::vector<std::string> safe;
    for (const auto& word : words) {
        if (!word.empty() && std::ranges::all_of(word, is_safe)) safe.push_back(word);
    }
    return safe;
}

std::string insert_name(std::string_view text, const std::string& name) {
    std::string result;
    char previous = ' ';
    for (const char character : text) {
        if (character == '@' && previous != '$') {
            result += name;
        } else {
            result += character;
        }
        previous = character;
    }
    return result;
}

std::string first_line(std::string_view text) {
    return std::string(text.substr(0, text.find('\n')));
}

}  // namespace muster::command_line
