#include "base/endpoint.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace muster {
namespace {

constexpr std::size_t host_size_max = 253;

bool is_host_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.'
           || c == '-' || c == '_';
}

bool is_v6_character(char c) {
    return (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || (c >= '0' && c <= '9') || c == ':'
           || c == '.';
}

std::optional<std::uint16_t> parse_port(std::string_view digits) {
    std::uint16_t port = 0;
    const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
    if (failure != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    return port;
}

std::unexpected<error> refuse(std::string_view text) {
    return fail(
        errc::invalid,
        "\"" + std::string(text)
            + "\" is not an address; use HOST:PORT or [IPV6]:PORT, such as 127.0.0.1:8443");
}

}  // namespace

result<endpoint> parse_endpoint(std::string_view text, std::uint16_t port_default) {
    endpoint parsed{.host = {}, .port = port_default};
    std::string_view rest = text;
    if (rest.starts_with('[')) {
        const auto close = rest.find(']');
        if (close == std::string_view::npos) return refuse(text);
        parsed.host = rest.substr(1, close - 1);
        if (!std::ranges::all_of(parsed.host, is_v6_character)) return refuse(text);
        rest.remove_prefix(close + 1);
    } else {
        const auto colon = std::min(rest.find(':'), rest.size());
        parsed.host = rest.substr(0, colon);
        if (!std::ranges::all_of(parsed.host, is_host_character)) return refuse(text);
        rest.remove_prefix(colon);
    }
    if (parsed.host.empty() || parsed.host.size() > host_size_max) return refuse(text);
    if (rest.empty()) return port_default == 0 ? result<endpoint>(refuse(text)) : parsed;
    const auto port = parse_port(rest.substr(1));
    if (rest.front() != ':' || !port) return refuse(text);
    parsed.port = *port;
    return parsed;
}

std::string to_string(const endpoint& address) {
    const bool v6 = address.host.contains(':');
    return (v6 ? "[" + address.host + "]" : address.host) + ":" + std::to_string(address.port);
}

}  // namespace muster
