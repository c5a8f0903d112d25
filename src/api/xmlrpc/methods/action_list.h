#pragma once

#include "api/xmlrpc/methods/action_format.h"
#include "api/xmlrpc/methods/action_service.h"

#include <vector>

namespace muster::xmlrpc_api {

// Which actions a list has. An action may be in several lists: it can be completed on some systems
// and failed on others.
enum class action_filter { all, completed, in_progress, failed, archived };

// The actions that are visible to the caller, newest first, page by page.
method_response list_actions(const action_service& actions, call call, action_filter filter);
api::shape action_shape();

// The systems of an action in one of these states, ordered by number, page by page.
async<method_response> list_systems(
    const action_service& actions, action listed_action, std::vector<task_state> states);
api::shape action_system_shape();

}  // namespace muster::xmlrpc_api
