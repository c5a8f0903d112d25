#include "adapters/net/http/url.h"

#include <algorithm>

namespace muster::net::http {
namespace {

constexpr std::uint16_t https_port = 443;
constexpr std::uint16_t http_port = 80;

std::uint16_t default_port(url::security transport) {
    return transport == url::security::tls ? https_port : http_port;
}

}  // namespace

std::string url::authority() const {
    const auto text = to_string(address);
    return address.port == default_port(transport) ? text.substr(0, text.rfind(':')) : text;
}

result<url> parse_url(std::string_view text) {
    constexpr std::string_view https = "https://";
    constexpr std::string_view http = "http://";
    const auto invalid = [&](std::string_view problem) {
        return fail(errc::invalid, "'" + std::string(text) + "' " + std::string(problem));
    };
    url result;
    std::string_view rest = text;
    if (rest.starts_with(https)) {
        rest.remove_prefix(https.size());
    } else if (rest.starts_with(http)) {
        result.transport = url::security::none;
        rest.remove_prefix(http.size());
    } else {
        return invalid("is not a URL; it must start with https:// or http://");
    }
    const auto authority_end = std::min(rest.find_first_of("/?#"), rest.size());
    const std::string_view authority = rest.substr(0, authority_end);
    if (authority.contains('@')) return invalid("must not contain a user name or password");
    TRY(result.address, parse_endpoint(authority, default_port(result.transport)));
    result.target = rest.substr(authority_end);
    if (!result.target.starts_with('/')) result.target.insert(0, "/");
    const bool printable =
        std::ranges::all_of(result.target, [](char c) { return c > ' ' && c < 0x7f && c != '#'; });
    if (!printable) return invalid("contains a character that must be percent-encoded");
    return result;
}

}  // namespace muster::net::http
