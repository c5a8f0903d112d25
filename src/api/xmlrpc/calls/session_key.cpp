#include "api/xmlrpc/calls/session_key.h"

#include "adapters/pki/fingerprint.h"

#include <cstdint>

namespace muster::xmlrpc_api {
namespace {

constexpr std::string_view digits = "0123456789";
constexpr std::size_t number_digits_max = 10;

// Position of the `x` after the number; npos if this is not a session key.
std::size_t find_separator(std::string_view key) {
    const auto separator = key.find_first_not_of(digits);
    const bool valid = separator != std::string_view::npos && separator > 0
                       && separator <= number_digits_max && key[separator] == 'x';
    return valid ? separator : std::string_view::npos;
}

}  // namespace

std::string session_key(std::string_view secret) {
    const auto digest = pki::sha256(secret);
    std::uint32_t number = 0;
    for (const char byte : digest.substr(0, 4))
        number = number << 8U | static_cast<unsigned char>(byte);
    constexpr std::uint32_t positive = 0x7fffffff;
    return std::to_string(number & positive) + "x" + std::string(secret);
}

std::string key_secret(std::string_view key) {
    const auto separator = find_separator(key);
    return std::string(separator == std::string_view::npos ? key : key.substr(separator + 1));
}

std::string key_number(std::string_view key) {
    const auto separator = find_separator(key);
    return separator == std::string_view::npos ? "0" : std::string(key.substr(0, separator));
}

}  // namespace muster::xmlrpc_api
