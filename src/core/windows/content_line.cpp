#include "core/windows/content_line.h"

#include <algorithm>

namespace muster::windows {
namespace {

std::unexpected<error> invalid_line(std::size_t line, std::string_view text) {
    return fail(errc::invalid, "line " + std::to_string(line) + ": " + std::string(text));
}

bool is_name_letter(char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z')
           || (letter >= '0' && letter <= '9') || letter == '-';
}

std::string to_upper(std::string_view text) {
    std::string result(text);
    for (auto& letter : result)
        if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
    return result;
}

struct unfolded_line {
    std::size_t number = 0;
    std::string text;
};

result<std::vector<unfolded_line>> unfold(std::string_view text) {
    std::vector<unfolded_line> lines;
    for (std::size_t number = 1; !text.empty(); ++number) {
        const auto end = text.find('\n');
        auto line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.find('\0') != std::string_view::npos)
            return invalid_line(number, "NUL bytes are not allowed");
        if (line.starts_with(' ') || line.starts_with('\t')) {
            if (lines.empty()) return invalid_line(number, "continuation without a preceding line");
            lines.back().text += line.substr(1);
        } else if (!line.empty()) {
            lines.push_back({.number = number, .text = std::string(line)});
        }
        if (!lines.empty() && lines.back().text.size() > content_limits::line_bytes_max)
            return invalid_line(lines.back().number, "line is longer than 64 KiB");
    }
    return lines;
}

// Removes a name from the front of `rest`.
std::string consume_name(std::string_view& rest) {
    const auto* const end = std::ranges::find_if_not(rest, is_name_letter);
    const auto length = static_cast<std::size_t>(end - rest.begin());
    auto name = to_upper(rest.substr(0, length));
    rest.remove_prefix(length);
    return name;
}

// Appends one parameter value, quoted or not, to `value`; false when a quote is not closed.
bool consume_parameter_value(std::string_view& rest, std::string& value) {
    if (rest.starts_with('"')) {
        const auto end = rest.find('"', 1);
        if (end == std::string_view::npos) return false;
        value += rest.substr(1, end - 1);
        rest.remove_prefix(end + 1);
        return true;
    }
    const auto end = std::min(rest.find_first_of(";:,\""), rest.size());
    value += rest.substr(0, end);
    rest.remove_prefix(end);
    return true;
}

result<void> consume_parameter(content_line& line, std::string_view& rest) {
    auto name = consume_name(rest);
    if (name.empty() || !rest.starts_with('='))
        return invalid_line(line.number, "parameter must be NAME=VALUE");
    if (line.parameters.size() == content_limits::parameters_max)
        return invalid_line(line.number, "more than 32 parameters");
    std::string value;
    do {
        if (!value.empty()) value += ',';
        rest.remove_prefix(1);
        if (!consume_parameter_value(rest, value))
            return invalid_line(line.number, "missing closing quote");
    } while (rest.starts_with(','));
    line.parameters.emplace_back(std::move(name), std::move(value));
    return {};
}

result<content_line> parse_line(const unfolded_line& line) {
    content_line parsed{.number = line.number, .name = {}, .parameters = {}, .value = {}};
    std::string_view rest = line.text;
    parsed.name = consume_name(rest);
    if (parsed.name.empty()) return invalid_line(line.number, "expected a property name");
    while (rest.starts_with(';')) {
        rest.remove_prefix(1);
        CHECK_OK(consume_parameter(parsed, rest));
    }
    if (!rest.starts_with(':'))
        return invalid_line(line.number, "missing ':' after " + parsed.name);
    parsed.value = rest.substr(1);
    return parsed;
}

}  // namespace

std::optional<std::string_view> content_line::parameter(std::string_view parameter_name) const {
    for (const auto& [key, text] : parameters)
        if (key == parameter_name) return text;
    return std::nullopt;
}

result<std::vector<content_line>> parse_content(std::string_view text) {
    if (text.size() > content_limits::text_bytes_max)
        return fail(errc::invalid, "calendar is larger than 1 MiB");
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    TRY(const auto lines, unfold(text));
    std::vector<content_line> parsed;
    for (const auto& line : lines) {
        TRY(auto parsed_line, parse_line(line));
        parsed.push_back(std::move(parsed_line));
    }
    return parsed;
}

}  // namespace muster::windows
