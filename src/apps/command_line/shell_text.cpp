#include "apps/command_line/shell_text.h"

#include "apps/command_line/described.h"

#include <algorithm>

namespace muster::command_line {
namespace {

bool is_plain(char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z')
           || (letter >= '0' && letter <= '9') || letter == '-' || letter == '_' || letter == '.';
}

}  // namespace

std::string shell_quoted(std::string_view text) {
    std::string made = "'";
    for (const char each : text) {
        if (each == '\'') {
            made += R"('\'')";
        } else {
            made += each;
        }
    }
    return made + "'";
}

std::string fish_quoted(std::string_view text) {
    std::string made = "'";
    for (const char each : text) {
        if (each == '\'' || each == '\\') made += '\\';
        made += each;
    }
    return made + "'";
}

std::string spaced(std::span<const std::string> words) {
    std::string made;
    for (const auto& each : words) made += (made.empty() ? "" : " ") + each;
    return made;
}

std::vector<std::string> flags_with_value(const described_command& of) {
    std::vector<std::string> found;
    for (const auto& each : of.options) {
        if (!each.value.empty()) found.insert(found.end(), each.flags.begin(), each.flags.end());
    }
    return found;
}

std::vector<std::string> plain_words(std::span<const std::string> words) {
    std::vector<std::string> plain;
    for (const auto& each : words) {
        if (!each.empty() && std::ranges::all_of(each, is_plain)) plain.push_back(each);
    }
    return plain;
}

std::string with_name(std::string_view text, const std::string& name) {
    std::string made;
    char before = ' ';
    for (const char each : text) {
        if (each == '@' && before != '$') {
            made += name;
        } else {
            made += each;
        }
        before = each;
    }
    return made;
}

std::string first_line(std::string_view text) {
    return std::string(text.substr(0, text.find('\n')));
}

}  // namespace muster::command_line
