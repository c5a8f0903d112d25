#pragma once

#include "base/result.h"
#include "core/session/agent_task.h"

#include <string>
#include <vector>

namespace muster::agent {

// chain.run: `steps` is a list of objects with `function`, `arguments` and `timeout` ("10m";
// default: that of the task). A step runs after its predecessor succeeded.
struct chain_step {
    std::string function;
    std::string arguments;  // a JSON object
    monotonic::duration timeout{};
};

// errc::invalid names the step and the problem. Nested chains are refused.
result<std::vector<chain_step>> parse_chain(const session::task_request& task);
std::vector<session::task_nature> to_natures(const std::vector<chain_step>& steps);

// The result of the whole chain, without its payload: that of the failed step.
session::task_result chain_result(
    const std::vector<chain_step>& steps, const session::chain_progress& chain);

// {"steps": [{"step", "function", "outcome", "exit_code", "seconds", "reason", "output"}, …]}.
// Steps that did not run have the outcome "not_run".
std::string chain_payload(
    const std::vector<chain_step>& steps, const session::chain_progress& chain);

// Rounds up to 0, 1, 2, 5, 10, 20, 50, … seconds. With exact times the payloads of all systems
// would differ, and each would be stored.
std::int64_t round_seconds(std::chrono::microseconds duration);

// How many bytes of output the next step may still add.
std::size_t remaining_output(const session::chain_progress& chain);

}  // namespace muster::agent
