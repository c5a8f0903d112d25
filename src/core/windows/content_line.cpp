#include "core/windows/content_line.h"

#include <algorithm>

namespace muster::windows {
namespace {

std::unexpected<error> wrong(std::size_t line, std::string_view text) {
    return fail(errc::invalid, "line " + std::to_string(line) + ": " + std::string(text));
}

bool is_name_letter(char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z')
           || (letter >= '0' && letter <= '9') || letter == '-';
}

std::string capitals(std::string_view text) {
    std::string result(text);
    for (auto& each : result)
        if (each >= 'a' && each <= 'z') each = static_cast<char>(each - 'a' + 'A');
    return result;
}

struct folded {
    std::size_t number = 0;
    std::string text;
};

result<std::vector<folded>> unfold(std::string_view text) {
    std::vector<folded> lines;
    for (std::size_t number = 1; !text.empty(); ++number) {
        const auto end = text.find('\n');
        auto line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.find('\0') != std::string_view::npos) return wrong(number, "holds a zero byte");
        if (line.starts_with(' ') || line.starts_with('\t')) {
            if (lines.empty()) return wrong(number, "goes on with a line that is not there");
            lines.back().text += line.substr(1);
        } else if (!line.empty()) {
            lines.push_back({.number = number, .text = std::string(line)});
        }
        if (!lines.empty() && lines.back().text.size() > content_limits::line_bytes_max)
            return wrong(lines.back().number, "longer than 64 KiB");
    }
    return lines;
}

// Takes a name off the front.
std::string take_name(std::string_view& rest) {
    const auto* const end = std::ranges::find_if_not(rest, is_name_letter);
    const auto length = static_cast<std::size_t>(end - rest.begin());
    auto name = capitals(rest.substr(0, length));
    rest.remove_prefix(length);
    return name;
}

// One value of a parameter, quoted or not; false when a quote is not closed.
bool take_parameter_value(std::string_view& rest, std::string& into) {
    if (rest.starts_with('"')) {
        const auto end = rest.find('"', 1);
        if (end == std::string_view::npos) return false;
        into += rest.substr(1, end - 1);
        rest.remove_prefix(end + 1);
        return true;
    }
    const auto end = std::min(rest.find_first_of(";:,\""), rest.size());
    into += rest.substr(0, end);
    rest.remove_prefix(end);
    return true;
}

result<void> take_parameter(content_line& line, std::string_view& rest) {
    auto name = take_name(rest);
    if (name.empty() || !rest.starts_with('='))
        return wrong(line.number, "a parameter is not NAME=VALUE");
    if (line.parameters.size() == content_limits::parameters_max)
        return wrong(line.number, "more than 32 parameters");
    std::string value;
    do {
        if (!value.empty()) value += ',';
        rest.remove_prefix(1);
        if (!take_parameter_value(rest, value)) return wrong(line.number, "a quote is not closed");
    } while (rest.starts_with(','));
    line.parameters.emplace_back(std::move(name), std::move(value));
    return {};
}

result<content_line> parse_line(const folded& line) {
    content_line read{.number = line.number, .name = {}, .parameters = {}, .value = {}};
    std::string_view rest = line.text;
    read.name = take_name(rest);
    if (read.name.empty()) return wrong(line.number, "does not begin with the name of a property");
    while (rest.starts_with(';')) {
        rest.remove_prefix(1);
        CHECK_OK(take_parameter(read, rest));
    }
    if (!rest.starts_with(':')) return wrong(line.number, "there is no ':' after " + read.name);
    read.value = rest.substr(1);
    return read;
}

}  // namespace

std::optional<std::string_view> content_line::parameter(std::string_view desired) const {
    for (const auto& [given, text] : parameters)
        if (given == desired) return text;
    return std::nullopt;
}

result<std::vector<content_line>> parse_content(std::string_view text) {
    if (text.size() > content_limits::text_bytes_max)
        return fail(errc::invalid, "the calendar is larger than 1 MiB");
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    TRY(const auto lines, unfold(text));
    std::vector<content_line> read;
    for (const auto& each : lines) {
        TRY(auto line, parse_line(each));
        read.push_back(std::move(line));
    }
    return read;
}

}  // namespace muster::windows
