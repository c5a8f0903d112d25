#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace muster {

// Address of a server: a host (DNS name or IP address) and a port, such as "node1.acme.org:8443",
// "127.0.0.1:8444" or "[::1]:1".
struct endpoint {
    std::string host;
    std::uint16_t port = 0;

    friend bool operator==(const endpoint&, const endpoint&) = default;
};

// The port is optional when `port_default` is not 0.
result<endpoint> parse_endpoint(std::string_view text, std::uint16_t port_default = 0);
std::string to_string(const endpoint& address);

}  // namespace muster
