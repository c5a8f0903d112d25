#pragma once

#include "api/xmlrpc/methods/action_service.h"

namespace muster::xmlrpc_api {

// What the systems of an action gave back, by their numbers, some at a time: of a step of a chain
// what that step did.
async<answer> list_script_results(const action_service& actions, action of);
api::shape script_result_shape();

// What a task gave back, as a client is shown it.
struct spoken_output {
    std::int64_t exit_code = 0;
    std::string text;
    bool encoded = false;  // in Base64: it is no text that XML can hold
};
// `step` is 0 for the whole of what is no chain.
spoken_output read_output(std::string_view payload, const task_record& task, std::size_t step);

}  // namespace muster::xmlrpc_api
