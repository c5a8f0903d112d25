#pragma once

#include "adapters/net/endpoint.h"
#include "base/result.h"

#include <string>
#include <string_view>

namespace muster::net::http {

// "https://node1.acme.org:8443/system/status?fp=…"
struct url {
    enum class security { tls, none } transport = security::tls;
    endpoint address;
    std::string target;  // path and query, at least "/"

    // For the Host field: without the port if it is the default of the scheme.
    std::string authority() const;
};

// Accepts http and https, without user names (they would appear in logs) and fragments.
result<url> parse_url(std::string_view text);

}  // namespace muster::net::http
