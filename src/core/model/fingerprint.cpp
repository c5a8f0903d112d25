#include "core/model/fingerprint.h"

#include "base/hex.h"

namespace muster {
namespace {

constexpr std::size_t digits_bare = 2 * fingerprint::size_bytes;
constexpr std::size_t digits_with_colons = 3 * fingerprint::size_bytes - 1;

// Returns 16 for other characters.
unsigned hex_value(char digit) {
    constexpr unsigned invalid = 16;
    if (digit >= '0' && digit <= '9') return static_cast<unsigned>(digit - '0');
    if (digit >= 'a' && digit <= 'f') return static_cast<unsigned>(digit - 'a') + 10;
    if (digit >= 'A' && digit <= 'F') return static_cast<unsigned>(digit - 'A') + 10;
    return invalid;
}

}  // namespace

// Runs for every agent request, so it does not allocate.
result<fingerprint> fingerprint::parse(std::string_view text) {
    if (text.size() != digits_bare && text.size() != digits_with_colons)
        return fail(errc::invalid, "fingerprint must have 32 pairs of hexadecimal digits");
    const std::size_t step = text.size() == digits_bare ? 2 : 3;
    bytes_type bytes{};
    for (std::size_t byte = 0; byte < bytes.size(); ++byte) {
        const auto pair = text.substr(byte * step);
        const auto high = hex_value(pair[0]);
        const auto low = hex_value(pair[1]);
        if (high > 0xf || low > 0xf)
            return fail(errc::invalid, "fingerprint must have hexadecimal digits only");
        const bool last = byte + 1 == bytes.size();
        if (step == 3 && !last && pair[2] != ':')
            return fail(errc::invalid, "fingerprint must have a colon after every second digit");
        bytes.at(byte) = static_cast<unsigned char>((high << 4U) | low);
    }
    return fingerprint(bytes);
}

std::string fingerprint::str() const {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    text.reserve(digits_with_colons);
    for (const unsigned char byte : bytes_) {
        if (!text.empty()) text += ':';
        text += digits[byte >> 4U];
        text += digits[byte & 0xfU];
    }
    return text;
}

}  // namespace muster
