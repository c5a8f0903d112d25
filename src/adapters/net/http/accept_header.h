#pragma once

#include <string_view>

namespace muster::net::http {

// True if a list such as that of Accept-Encoding, "gzip, br;q=0.5", holds the value with a weight
// above zero.
bool accepts(std::string_view list, std::string_view value);

}  // namespace muster::net::http
