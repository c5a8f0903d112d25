#pragma once

#include "base/result.h"
#include "core/model/facts.h"

#include <string>
#include <string_view>

namespace muster::node {

// Facts as one JSON object. Values keep the agent's text, so that the digest can be recomputed.
std::string to_document(const facts& values);

// Strict: errc::corrupt for anything else.
result<facts> parse_document(std::string_view document);

// Whether every path is a valid name and every value is one JSON text.
result<void> check(const facts& values);

}  // namespace muster::node
