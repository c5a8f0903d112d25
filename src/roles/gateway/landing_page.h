#pragma once

#include "roles/cluster/readiness.h"

#include <string>

namespace muster::gateway {

// What a person sees who opens the server's address: that it is muster, how it is, where the API
// is. One document; it loads nothing from anywhere.
std::string landing_page(const std::string& server, const cluster::readiness::report& state);

// The only things that page may do.
inline constexpr auto landing_page_policy =
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'";

}  // namespace muster::gateway
