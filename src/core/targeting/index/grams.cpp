#include "core/targeting/index/grams.h"

#include <algorithm>

namespace muster::targeting {
namespace {

constexpr char start = '\x02';
constexpr char end = '\x03';
constexpr char replaced = '\x1f';

gram byte(char letter) {
    return static_cast<unsigned char>(letter);
}

bool is_control(char letter) {
    return byte(letter) < 0x20;
}

}  // namespace

gram pair_of(std::string_view text, std::size_t at) {
    return pair_mark | (byte(text[at]) << 16U) | (byte(text[at + 1]) << 8U);
}

gram triple_of(std::string_view text, std::size_t at) {
    return (byte(text[at]) << 16U) | (byte(text[at + 1]) << 8U) | byte(text[at + 2]);
}

std::string framed(std::string_view text) {
    return framed(
        required_substring{.letters = std::string(text), .at_start = true, .at_end = true});
}

std::string framed(const required_substring& piece) {
    std::string result;
    result.reserve(piece.letters.size() + 2);
    if (piece.at_start) result += start;
    for (const char letter : piece.letters) result += is_control(letter) ? replaced : letter;
    if (piece.at_end) result += end;
    return result;
}

bool is_kept(std::string_view letters) {
    return std::ranges::none_of(letters, is_control);
}

}  // namespace muster::targeting
