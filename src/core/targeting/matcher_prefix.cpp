#include "core/targeting/matcher_prefix.h"

#include <algorithm>
#include <cstddef>

namespace muster::targeting {
namespace {

constexpr std::string_view matchers = "GPIJLNSER";
constexpr std::string_view with_delimiter = "GPIJ";
constexpr std::string_view usual_delimiter = ":";

// How many bytes the character at the front has in UTF-8.
std::size_t character_bytes(std::string_view text) {
    std::size_t size = text.empty() ? 0 : 1;
    while (size < text.size() && (static_cast<unsigned char>(text[size]) & 0xc0U) == 0x80U) ++size;
    return size;
}

}  // namespace

std::optional<matcher_prefix> split_matcher_prefix(std::string_view text) {
    text = text.substr(0, text.find_first_of(" \t\n\r"));
    if (text.empty() || !matchers.contains(text.front())) return std::nullopt;
    const char engine = text.front();
    const auto rest = text.substr(1);
    const auto size = character_bytes(rest);
    // A delimiter of its custom_delimiter comes first, as with Salt: in `G@@a` it is the first @.
    const bool custom_delimiter =
        with_delimiter.contains(engine) && rest.size() > size + 1 && rest[size] == '@';
    if (custom_delimiter)
        return matcher_prefix{
            .engine = engine, .delimiter = rest.substr(0, size), .pattern = rest.substr(size + 1)};
    if (rest.size() < 2 || rest.front() != '@') return std::nullopt;
    return matcher_prefix{
        .engine = engine, .delimiter = usual_delimiter, .pattern = rest.substr(1)};
}

}  // namespace muster::targeting
