#pragma once

#include <string>
#include <vector>

namespace muster::xmlrpc_api {

// A change of the configuration channels of a system, a group or an activation key.
enum class config_list_change { add_first, add_last, replace, remove };

// Returns the list after the change; the first channel has the highest priority.
std::vector<std::string> apply_change(
    config_list_change change,
    std::vector<std::string> current,
    const std::vector<std::string>& labels);

}  // namespace muster::xmlrpc_api
