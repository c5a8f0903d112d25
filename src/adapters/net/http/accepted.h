#pragma once

#include <string_view>

namespace muster::net::http {

// Whether a list such as that of Accept-Encoding, "gzip, br;q=0.5", has the word, and not with a
// weight of nothing.
bool accepts(std::string_view list, std::string_view word);

}  // namespace muster::net::http
