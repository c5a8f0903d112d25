#include "adapters/net/http/head.h"

#include "base/assert.h"

#include <algorithm>
#include <array>

namespace muster::net::http {
namespace {

constexpr unsigned bad_request = 400;
constexpr unsigned fields_too_large = 431;

constexpr std::array<bool, 256> make_token_table() {
    std::array<bool, 256> table{};
    for (const char c : std::string_view("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
                                         "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
        table[static_cast<unsigned char>(c)] = true;
    return table;
}

constexpr std::array<bool, 256> token_table = make_token_table();

bool is_token_character(char c) {
    return token_table[static_cast<unsigned char>(c)];
}

bool is_value_character(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte >= 0x20 && byte != 0x7f) || c == '\t';
}

char to_lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::string_view trim(std::string_view text) {
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return text.substr(0, 0);
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// True if a comma-separated list contains the word.
bool list_has(std::string_view list, std::string_view word) {
    while (!list.empty()) {
        const auto comma = std::min(list.find(','), list.size());
        if (equal_ignoring_case(trim(list.substr(0, comma)), word)) return true;
        list.remove_prefix(std::min(comma + 1, list.size()));
    }
    return false;
}

}  // namespace

bool equal_ignoring_case(std::string_view a, std::string_view b) {
    return std::ranges::equal(a, b, {}, to_lower, to_lower);
}

bool is_token(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, is_token_character);
}

bool is_field_value(std::string_view text) {
    return std::ranges::all_of(text, is_value_character);
}

head_scan find_head_end(std::string_view received, std::size_t from) {
    std::size_t line_start = from;
    while (true) {
        const auto end = received.find('\n', line_start);
        if (end == std::string_view::npos) return {scan::incomplete, line_start};
        if (end == line_start || received[end - 1] != '\r') return {scan::malformed};
        if (end == line_start + 1) return {scan::complete, end + 1};
        line_start = end + 1;
    }
}

parsed<head> head::parse(std::string_view text, head_limits limits) {
    MUSTER_ASSERT(text.ends_with("\r\n"));
    MUSTER_ASSERT(text.size() <= UINT32_MAX);
    head result;
    result.text_ = text;
    std::string_view rest = result.text_;
    constexpr std::size_t fields_usual = 12;
    result.fields_.reserve(std::min(fields_usual, limits.fields_max));
    for (bool first = true; rest != "\r\n"; first = false) {
        const auto end = rest.find("\r\n");
        if (end == std::string_view::npos || end == 0)
            return refuse(bad_request, "message does not start with a first line");
        const std::string_view line = rest.substr(0, end);
        rest.remove_prefix(end + 2);
        if (!first && result.fields_.size() == limits.fields_max)
            return refuse(fields_too_large, "too many header fields");
        auto accepted = first ? result.parse_first_line(line) : result.parse_field(line);
        if (!accepted) return std::unexpected(std::move(accepted).error());
    }
    if (result.words_[0].size == 0)
        return refuse(bad_request, "message does not start with a first line");
    return result;
}

head::range head::range_of(std::string_view part) const {
    return {
        static_cast<std::uint32_t>(part.data() - text_.data()),
        static_cast<std::uint32_t>(part.size())};
}

parsed<void> head::parse_first_line(std::string_view line) {
    const auto first = line.find(' ');
    const auto second = first == std::string_view::npos ? first : line.find(' ', first + 1);
    if (second == std::string_view::npos || first == 0 || second == first + 1)
        return refuse(bad_request, "first line must have three words");
    words_[0] = range_of(line.substr(0, first));
    words_[1] = range_of(line.substr(first + 1, second - first - 1));
    words_[2] = range_of(line.substr(second + 1));
    return {};
}

parsed<void> head::parse_field(std::string_view line) {
    if (line.front() == ' ' || line.front() == '\t')
        return refuse(bad_request, "header field must not be folded over two lines");
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || !is_token(line.substr(0, colon)))
        return refuse(bad_request, "header field must have the form NAME: VALUE");
    const std::string_view value = trim(line.substr(colon + 1));
    if (!is_field_value(value))
        return refuse(bad_request, "header field value contains a control character");
    std::string_view text = value;
    if (text.empty()) text = line.substr(colon, 0);
    fields_.push_back({.name = range_of(line.substr(0, colon)), .value = range_of(text)});
    return {};
}

std::optional<std::string_view> head::field(std::string_view name) const {
    for (const auto& field : fields_) {
        if (field.name.size == name.size() && equal_ignoring_case(view(field.name), name))
            return view(field.value);
    }
    return std::nullopt;
}

std::size_t head::count(std::string_view name) const {
    return static_cast<std::size_t>(std::ranges::count_if(fields_, [&](const auto& field) {
        return field.name.size == name.size() && equal_ignoring_case(view(field.name), name);
    }));
}

bool head::lists(std::string_view name, std::string_view word) const {
    return std::ranges::any_of(fields_, [&](const auto& field) {
        return equal_ignoring_case(view(field.name), name) && list_has(view(field.value), word);
    });
}

}  // namespace muster::net::http
