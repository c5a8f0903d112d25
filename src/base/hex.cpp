#include "base/hex.h"

namespace muster {
namespace {

constexpr std::string_view digits_lower = "0123456789abcdef";

int digit_value(char digit) {
    if (digit >= '0' && digit <= '9') return digit - '0';
    if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
    if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
    return -1;
}

}  // namespace

std::string to_hex(std::string_view bytes) {
    std::string out;
    out.reserve(bytes.size() * 2);
    for (const char byte : bytes) {
        const auto bits = static_cast<unsigned char>(byte);
        out += digits_lower[bits >> 4U];
        out += digits_lower[bits & 0xfU];
    }
    return out;
}

result<std::string> from_hex(std::string_view digits) {
    if (digits.size() % 2 != 0)
        return fail(errc::invalid, "hexadecimal value has an odd number of digits");
    std::string out;
    out.reserve(digits.size() / 2);
    for (std::size_t index = 0; index < digits.size(); index += 2) {
        const int high = digit_value(digits[index]);
        const int low = digit_value(digits[index + 1]);
        if (high < 0 || low < 0) return fail(errc::invalid, "invalid hexadecimal digit");
        out += static_cast<char>(high * 16 + low);
    }
    return out;
}

}  // namespace muster
