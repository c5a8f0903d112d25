#include "api/xmlrpc/calls/session_key.h"

#include "adapters/pki/fingerprint.h"

#include <cstdint>

namespace muster::xmlrpc_api {
namespace {

constexpr std::string_view digits = "0123456789";
constexpr std::size_t number_digits_max = 10;

// Where the x stands behind a number; npos when this is no such key.
std::size_t mark_in(std::string_view key) {
    const auto mark = key.find_first_not_of(digits);
    const bool there =
        mark != std::string_view::npos && mark > 0 && mark <= number_digits_max && key[mark] == 'x';
    return there ? mark : std::string_view::npos;
}

}  // namespace

std::string session_key(std::string_view secret) {
    const auto digest = pki::sha256(secret);
    std::uint32_t number = 0;
    for (const char each : digest.substr(0, 4))
        number = number << 8U | static_cast<unsigned char>(each);
    constexpr std::uint32_t positive = 0x7fffffff;
    return std::to_string(number & positive) + "x" + std::string(secret);
}

std::string secret_in(std::string_view key) {
    const auto mark = mark_in(key);
    return std::string(mark == std::string_view::npos ? key : key.substr(mark + 1));
}

std::string number_in(std::string_view key) {
    const auto mark = mark_in(key);
    return mark == std::string_view::npos ? "0" : std::string(key.substr(0, mark));
}

}  // namespace muster::xmlrpc_api
