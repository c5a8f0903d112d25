#pragma once

#include "core/targeting/fact_pattern.h"

#include <boost/json/fwd.hpp>

#include <string_view>
#include <vector>

namespace muster::fleet {

// The searchable facts of a JSON object: one entry for each scalar, each list item and each nested
// member. Paths join the names; texts are folded, sorted and bounded as in
// core/targeting/index/fact_index.h.
std::vector<targeting::fact> to_fact_texts(const boost::json::object& facts);

// Parses the stored text first. errc::corrupt when it is not a JSON object.
result<std::vector<targeting::fact>> parse_fact_texts(std::string_view document);

}  // namespace muster::fleet
