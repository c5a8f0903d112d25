#pragma once

#include "base/result.h"
#include "core/session/agent_task.h"

#include <string>
#include <vector>

namespace muster::agent {

// chain.run: `steps` is a list of objects with `function`, `arguments` and `timeout` ("10m"; else
// that of the task). A step runs when the one before succeeded.
struct chain_step {
    std::string function;
    std::string arguments;  // a JSON object
    monotonic::duration timeout{};
};

// errc::invalid names the step and what is wrong with it. A chain within a chain is refused.
result<std::vector<chain_step>> parse_chain(const session::task_order& task);
std::vector<session::task_nature> natures_of(const std::vector<chain_step>& steps);

// How the chain as a whole ended, without its payload: that of the step that failed.
session::task_ending chain_ending(
    const std::vector<chain_step>& steps, const session::chain_progress& chain);

// {"steps": [{"step", "function", "outcome", "exit_code", "seconds", "reason", "output"}, …]}.
// Those that were not run say so.
std::string chain_payload(
    const std::vector<chain_step>& steps, const session::chain_progress& chain);

// The next of 0, 1, 2, 5, 10, 20, 50, … seconds: exact times would make every system's payload
// another one, and each would be kept.
std::int64_t rough_seconds(std::chrono::microseconds took);

// How many bytes of output the next step may still give back.
std::size_t output_left(const session::chain_progress& chain);

}  // namespace muster::agent
