#pragma once

#include "adapters/net/endpoint.h"
#include "base/result.h"

#include <string>
#include <string_view>

namespace muster::net::http {

// "https://node1.acme.org:8443/system/status?fp=…"
struct url {
    enum class security { tls, none } over = security::tls;
    endpoint where;
    std::string target;  // path and query, at least "/"

    // As the Host field has it: without the port when that is the scheme's own.
    std::string authority() const;
};

// http and https only, without user names (they would end up in logs) and fragments.
result<url> parse_url(std::string_view text);

}  // namespace muster::net::http
