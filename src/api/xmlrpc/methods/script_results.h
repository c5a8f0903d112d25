#pragma once

#include "api/xmlrpc/methods/action_service.h"

namespace muster::xmlrpc_api {

// The results of an action's systems, ordered by system number, page by page. For a step of a
// chain, the results of that step.
async<method_response> list_script_results(const action_service& actions, action action);
api::shape script_result_shape();

// The output of a task in the form for clients.
struct rendered_output {
    std::int64_t exit_code = 0;
    std::string text;
    bool encoded = false;  // in Base64, because XML cannot hold the text
};
// `step` is 0 for an action that is not a chain step.
rendered_output read_output(std::string_view payload, const task_record& task, std::size_t step);

}  // namespace muster::xmlrpc_api
