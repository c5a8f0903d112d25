#include "apps/agent/tasks/captured_output.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>

namespace muster::agent {
namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd";
constexpr std::size_t document_bytes = 128;  // besides what was written

bool continues(char byte) {
    return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U;
}

// Of the letter that bytes begin with; none when it is not one (also overlong and surrogates).
std::size_t letter_size(std::string_view bytes) {
    const auto first = static_cast<unsigned char>(bytes[0]);
    if (first < 0x80U) return 1;
    const std::size_t size = first >= 0xf0U ? 4 : first >= 0xe0U ? 3 : 2;
    if (first < 0xc2U || first > 0xf4U || bytes.size() < size) return 0;
    if (!std::ranges::all_of(bytes.substr(1, size - 1), continues)) return 0;
    const auto second = static_cast<unsigned char>(bytes[1]);
    const bool wrong = (first == 0xe0U && second < 0xa0U) || (first == 0xedU && second > 0x9fU)
                       || (first == 0xf0U && second < 0x90U) || (first == 0xf4U && second > 0x8fU);
    return wrong ? 0 : size;
}

// In a text of JSON, or a little less than this.
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
    for (const char each : text) size += quoted_size(each);
    return size;
}

// As much of it as fits, in whole letters.
std::string_view quoted_within(std::string_view text, std::size_t room) {
    std::size_t stored = 0;
    std::size_t end = 0;
    for (; end < text.size(); ++end) {
        stored += quoted_size(text[end]);
        if (stored > room) break;
    }
    while (end < text.size() && end > 0 && continues(text[end])) --end;
    return text.substr(0, end);
}

}  // namespace

clean_text as_utf8(std::string_view bytes) {
    clean_text clean;
    clean.text.reserve(bytes.size());
    while (!bytes.empty()) {
        const auto size = letter_size(bytes);
        if (size == 0) {
            clean.text += replacement;
            clean.replaced = true;
        } else {
            clean.text += bytes.substr(0, size);
        }
        bytes.remove_prefix(std::max<std::size_t>(size, 1));
    }
    return clean;
}

void captured_output::add(std::string& to, std::string_view bytes) {
    const auto room = bytes_max_ - std::min(bytes_max_, output_.size() + error_.size());
    written_ += bytes.size();
    truncated_ = truncated_ || bytes.size() > room;
    to += bytes.substr(0, room);
}

captured_output::document captured_output::payload(int exit_code, std::size_t bytes_max) const {
    const auto output = as_utf8(output_);
    const auto error = as_utf8(error_);
    const auto room = bytes_max - std::min(bytes_max, document_bytes);
    const auto left = room - std::min(room, quoted_size(output.text));
    const auto error_kept = quoted_within(error.text, std::max(left, room / 2));
    const auto output_kept = quoted_within(output.text, room - quoted_size(error_kept));
    const bool cut =
        output_kept.size() < output.text.size() || error_kept.size() < error.text.size();
    boost::json::object result{
        {"stdout", output_kept},
        {"stderr", error_kept},
        {"exit_code", exit_code},
        {"truncated", truncated_ || cut}};
    if (output.replaced || error.replaced) result["replaced"] = true;
    return {.text = boost::json::serialize(result), .truncated = truncated_ || cut};
}

}  // namespace muster::agent
