#pragma once

#include <boost/json/array.hpp>

#include <string>
#include <vector>

namespace muster::cli {

// The rights that this version knows, as they are written.
std::vector<std::string> right_names();

// Each right and the built-in roles that have it.
boost::json::array all_rights_json();

}  // namespace muster::cli
