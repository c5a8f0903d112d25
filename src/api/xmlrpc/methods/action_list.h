#pragma once

#include "api/xmlrpc/methods/action_format.h"
#include "api/xmlrpc/methods/action_service.h"

#include <vector>

namespace muster::xmlrpc_api {

// Which actions a list of the compatible API has. An action may be in several: one that failed on
// some systems and completed on others is both.
enum class action_choice { all, completed, in_progress, failed, archived };

// The actions that the caller may see, the newest first, some at a time.
answer list_actions(const action_service& actions, call call, action_choice action_choice);
api::shape action_shape();

// The systems of an action that stand in one of these states, by their numbers, some at a time.
async<answer> list_systems(
    const action_service& actions, action of, std::vector<task_state> states);
api::shape action_system_shape();

}  // namespace muster::xmlrpc_api
