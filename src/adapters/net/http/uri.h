#pragma once

#include "base/result.h"

#include <optional>
#include <string>
#include <string_view>

namespace muster::net::http {

// "%41b" is "Ab". Refuses broken escapes and NUL bytes.
result<std::string> percent_decoded(std::string_view text);
std::string percent_encoded(std::string_view text);

// The first value of this name in "a=1&b=2", decoded ('+' is a space); nothing when it is not there
// or not decodable.
std::optional<std::string> query_value(std::string_view query, std::string_view name);

}  // namespace muster::net::http
