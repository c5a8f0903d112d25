#pragma once

#include <boost/json/array.hpp>

#include <string>
#include <vector>

namespace muster::cli {

// The names of all rights of this version.
std::vector<std::string> right_names();

// Each right with the built-in roles that have it.
boost::json::array all_rights_json();

}  // namespace muster::cli
