#pragma once

#include <string>
#include <vector>

namespace muster::xmlrpc_api {

// How a call changes the list of configuration channels of a system, a group or an activation key.
enum class config_list_change { add_first, add_last, replace, remove };

// The list after the change; the first channel is the strongest.
std::vector<std::string> changed_list(
    config_list_change change,
    std::vector<std::string> now,
    const std::vector<std::string>& labels);

}  // namespace muster::xmlrpc_api
