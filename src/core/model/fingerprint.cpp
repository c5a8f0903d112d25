#include "core/model/fingerprint.h"

#include "base/hex.h"

#include <algorithm>

namespace muster {
namespace {

constexpr std::size_t digits_bare = fingerprint::size_bytes * 2;
constexpr std::size_t digits_with_colons = fingerprint::size_bytes * 3 - 1;

result<std::string> without_colons(std::string_view text) {
    std::string digits;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const bool colon_due = at % 3 == 2;
        if (colon_due != (text[at] == ':'))
            return fail(errc::invalid, "a fingerprint has a colon after every second digit");
        if (!colon_due) digits += text[at];
    }
    return digits;
}

}  // namespace

result<fingerprint> fingerprint::parse(std::string_view text) {
    if (text.size() != digits_bare && text.size() != digits_with_colons)
        return fail(errc::invalid, "a fingerprint has 32 pairs of hexadecimal digits");
    std::string digits(text);
    if (text.size() == digits_with_colons) {
        TRY(digits, without_colons(text));
    }
    TRY(const std::string raw, from_hex(digits));
    bytes_type bytes{};
    std::ranges::transform(
        raw, bytes.begin(), [](char byte) { return static_cast<unsigned char>(byte); });
    return fingerprint(bytes);
}

std::string fingerprint::str() const {
    std::string text;
    text.reserve(digits_with_colons);
    for (const unsigned char byte : bytes_) {
        if (!text.empty()) text += ':';
        text += to_hex(std::string(1, static_cast<char>(byte)));
    }
    return text;
}

}  // namespace muster
