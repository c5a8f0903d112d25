#pragma once

#include "base/result.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::net::http {

// "%41b" is "Ab". Refuses broken escapes and NUL bytes.
result<std::string> percent_decoded(std::string_view text);
std::string percent_encoded(std::string_view text);

// The first value of this name in "a=1&b=2", decoded ('+' is a space); nothing when it is not there
// or not decodable.
std::optional<std::string> query_value(std::string_view query, std::string_view name);

// All names and values of "a=1&b=2" in their order, decoded; errc::invalid when one cannot be.
using query_pairs = std::vector<std::pair<std::string, std::string>>;
result<query_pairs> all_of_query(std::string_view query);

}  // namespace muster::net::http
