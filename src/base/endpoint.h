#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace muster {

// Where a server listens or is reached: a host (DNS name or IP address) and a port:
// "node1.acme.org:8443", "127.0.0.1:8444", "[::1]:1".
struct endpoint {
    std::string host;
    std::uint16_t port = 0;

    friend bool operator==(const endpoint&, const endpoint&) = default;
};

// The port may be left out when `port_default` is not 0.
result<endpoint> parse_endpoint(std::string_view text, std::uint16_t port_default = 0);
std::string to_string(const endpoint& where);

}  // namespace muster
