#include "core/table/utf8.h"

#include <cstddef>
#include <cstdint>

namespace muster::table {
namespace {

struct lead {
    std::size_t followers;
    std::uint8_t second_min;  // tighter than 0x80..0xbf for some leads: no overlong forms,
    std::uint8_t second_max;  // no surrogates, nothing above U+10FFFF
};

constexpr lead not_a_lead{0, 1, 0};

lead classify(std::uint8_t first) {
    if (first >= 0xc2 && first <= 0xdf) return {1, 0x80, 0xbf};
    if (first == 0xe0) return {2, 0xa0, 0xbf};
    if (first == 0xed) return {2, 0x80, 0x9f};
    if (first >= 0xe1 && first <= 0xef) return {2, 0x80, 0xbf};
    if (first == 0xf0) return {3, 0x90, 0xbf};
    if (first >= 0xf1 && first <= 0xf3) return {3, 0x80, 0xbf};
    if (first == 0xf4) return {3, 0x80, 0x8f};
    return not_a_lead;
}

// The length of the well-formed sequence at the start of `text`, 0 when there is none.
std::size_t sequence_length(std::string_view text) {
    const lead expected = classify(static_cast<std::uint8_t>(text[0]));
    if (text.size() <= expected.followers) return 0;
    const auto second = static_cast<std::uint8_t>(text[1]);
    if (second < expected.second_min || second > expected.second_max) return 0;
    for (std::size_t at = 2; at <= expected.followers; ++at)
        if ((static_cast<std::uint8_t>(text[at]) & 0xc0U) != 0x80U) return 0;
    return expected.followers + 1;
}

}  // namespace

bool is_utf8_without_nul(std::string_view text) {
    std::size_t at = 0;
    while (at < text.size()) {
        const auto first = static_cast<std::uint8_t>(text[at]);
        if (first == 0) return false;
        if (first < 0x80) {
            ++at;
            continue;
        }
        const std::size_t length = text.size() - at < 2 ? 0 : sequence_length(text.substr(at));
        if (length == 0) return false;
        at += length;
    }
    return true;
}

}  // namespace muster::table
