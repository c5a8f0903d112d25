#include "adapters/pki/base64.h"

#include <cstdint>

namespace muster::pki {
namespace {

constexpr std::string_view alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::uint32_t byte_at(std::string_view bytes, std::size_t index) {
    return index < bytes.size() ? static_cast<unsigned char>(bytes[index]) : 0U;
}

std::size_t padding_size(std::string_view text) {
    if (text.ends_with("==")) return 2;
    return text.ends_with('=') ? 1 : 0;
}

}  // namespace

std::string to_base64(std::string_view bytes) {
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t index = 0; index < bytes.size(); index += 3) {
        const std::uint32_t bits = byte_at(bytes, index) << 16U | byte_at(bytes, index + 1) << 8U
                                   | byte_at(bytes, index + 2);
        out += alphabet[bits >> 18U];
        out += alphabet[bits >> 12U & 63U];
        out += index + 1 < bytes.size() ? alphabet[bits >> 6U & 63U] : '=';
        out += index + 2 < bytes.size() ? alphabet[bits & 63U] : '=';
    }
    return out;
}

result<std::string> from_base64(std::string_view text) {
    if (text.size() % 4 != 0)
        return fail(errc::invalid, "base64 text length must be a multiple of four");
    const std::size_t padding = padding_size(text);
    const std::string_view digits = text.substr(0, text.size() - padding);
    std::string out;
    out.reserve(text.size() / 4 * 3);
    std::uint32_t bits = 0;
    unsigned bit_count = 0;
    for (const char digit : digits) {
        const auto value = alphabet.find(digit);
        if (value == std::string_view::npos) return fail(errc::invalid, "invalid base64 character");
        bits = (bits << 6U | static_cast<std::uint32_t>(value)) & 0xffffU;
        bit_count += 6;
        if (bit_count < 8) continue;
        bit_count -= 8;
        out += static_cast<char>(bits >> bit_count & 0xffU);
    }
    if ((bits & ((1U << bit_count) - 1U)) != 0)
        return fail(errc::invalid, "base64 text has trailing bits");
    return out;
}

}  // namespace muster::pki
