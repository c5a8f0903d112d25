#include "apps/agent/tasks/captured_output.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>

namespace muster::agent {
namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd";
constexpr std::size_t document_bytes = 128;  // size of the payload without the outputs

bool is_continuation(char byte) {
    return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U;
}

// Size of the first character; 0 if it is invalid (also if overlong or a surrogate).
std::size_t character_size(std::string_view bytes) {
    const auto first = static_cast<unsigned char>(bytes[0]);
    if (first < 0x80U) return 1;
    const std::size_t size = first >= 0xf0U ? 4 : first >= 0xe0U ? 3 : 2;
    if (first < 0xc2U || first > 0xf4U || bytes.size() < size) return 0;
    if (!std::ranges::all_of(bytes.substr(1, size - 1), is_continuation)) return 0;
    const auto second = static_cast<unsigned char>(bytes[1]);
    const bool invalid = (first == 0xe0U && second < 0xa0U) || (first == 0xedU && second > 0x9fU)
                         || (first == 0xf0U && second < 0x90U)
                         || (first == 0xf4U && second > 0x8fU);
    return invalid ? 0 : size;
}

// Size in a JSON text; an upper bound.
std::size_t quoted_size(char byte) {
    switch (byte) {
        case '"':
        case '\\':
        case '\b':
        case '\f':
        case '\n':
        case '\r':
        case '\t':
            return 2;
        case '\x7f':
            return 6;
        default:
            return static_cast<unsigned char>(byte) < 0x20U ? 6 : 1;
    }
}

std::size_t quoted_size(std::string_view text) {
    std::size_t size = 0;
    for (const char byte : text) size += quoted_size(byte);
    return size;
}

// The longest prefix that fits, in whole characters.
std::string_view cut_quoted(std::string_view text, std::size_t bytes_max) {
    std::size_t used = 0;
    std::size_t end = 0;
    for (; end < text.size(); ++end) {
        used += quoted_size(text[end]);
        if (used > bytes_max) break;
    }
    while (end < text.size() && end > 0 && is_continuation(text[end])) --end;
    return text.substr(0, end);
}

}  // namespace

utf8_text to_utf8(std::string_view bytes) {
    utf8_text result;
    result.text.reserve(bytes.size());
    while (!bytes.empty()) {
        const auto size = character_size(bytes);
        if (size == 0) {
            result.text += replacement;
            result.replaced = true;
        } else {
            result.text += bytes.substr(0, size);
        }
        bytes.remove_prefix(std::max<std::size_t>(size, 1));
    }
    return result;
}

void captured_output::add(std::string& output, std::string_view bytes) {
    const auto free = bytes_max_ - std::min(bytes_max_, output_.size() + error_.size());
    written_ += bytes.size();
    truncated_ = truncated_ || bytes.size() > free;
    output += bytes.substr(0, free);
}

captured_output::document captured_output::payload(int exit_code, std::size_t bytes_max) const {
    const auto output = to_utf8(output_);
    const auto error = to_utf8(error_);
    const auto space = bytes_max - std::min(bytes_max, document_bytes);
    const auto space_left = space - std::min(space, quoted_size(output.text));
    const auto error_part = cut_quoted(error.text, std::max(space_left, space / 2));
    const auto output_part = cut_quoted(output.text, space - quoted_size(error_part));
    const bool cut =
        output_part.size() < output.text.size() || error_part.size() < error.text.size();
    boost::json::object result{
        {"stdout", output_part},
        {"stderr", error_part},
        {"exit_code", exit_code},
        {"truncated", truncated_ || cut}};
    if (output.replaced || error.replaced) result["replaced"] = true;
    return {.text = boost::json::serialize(result), .truncated = truncated_ || cut};
}

}  // namespace muster::agent
