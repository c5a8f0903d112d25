#pragma once

#include "base/result.h"
#include "core/model/facts.h"

#include <string>
#include <string_view>

namespace muster::node {

// Facts as one JSON object, each value as its agent wrote it: so that their digest can be made
// again from what is stored.
std::string document_of(const facts& all);

// Strict: errc::corrupt for what is not such an object.
result<facts> facts_of(std::string_view document);

// Whether every path can be a name and every value is a JSON text of its own.
result<void> check(const facts& all);

}  // namespace muster::node
