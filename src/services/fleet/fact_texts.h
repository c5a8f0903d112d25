#pragma once

#include "core/targeting/fact_pattern.h"

#include <boost/json/fwd.hpp>

#include <string_view>
#include <vector>

namespace muster::fleet {

// What can be searched of a JSON object of facts, whose names may be paths themselves: one entry
// for each scalar, each member of a list, and what stands in objects below; folded, in order, and
// bounded as core/targeting/index/fact_index.h says.
std::vector<targeting::fact> fact_texts(const boost::json::object& facts);

// The same of the text that is stored. errc::corrupt when it is no JSON object.
result<std::vector<targeting::fact>> fact_texts_of(std::string_view document);

}  // namespace muster::fleet
