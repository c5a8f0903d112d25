#pragma once

#include "base/result.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::net::http {

// "%41b" is "Ab". Refuses broken escapes and NUL bytes.
result<std::string> percent_decode(std::string_view text);
std::string percent_encode(std::string_view text);

// The first value of this name in "a=1&b=2", decoded ('+' is a space). nullopt if it is missing or
// malformed.
std::optional<std::string> query_value(std::string_view query, std::string_view name);

// All names and values of "a=1&b=2" in order, decoded. errc::invalid if one is malformed.
using query_pairs = std::vector<std::pair<std::string, std::string>>;
result<query_pairs> parse_query(std::string_view query);

}  // namespace muster::net::http
