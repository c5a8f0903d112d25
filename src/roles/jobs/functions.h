#pragma once

#include "base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace muster::jobs {

// What agents can be asked to do. A wrong argument is refused when the job is made, before it is
// refused a million times.
std::vector<std::string_view> known_functions();

// `arguments` is a JSON object. errc::invalid names the function or the argument and what is known.
// What only the system itself can know, such as whether a user exists, is left to the agent.
result<void> check_function(std::string_view name, std::string_view arguments);

// Arguments as people write them into a schedule: an object as it is, a list as the command that
// cmd.run runs. errc::invalid for anything else.
result<std::string> arguments_as_object(std::string_view function, const std::string& given);

// Whether such work leaves a system as it is: it asks, compares or only tries. What is not known to
// be harmless is not. A chain is if all of its steps are.
bool changes_nothing(std::string_view name, std::string_view arguments);

// With what stands around them they fit into one frame of an agent's channel (1 MiB).
inline constexpr std::size_t arguments_bytes_max = std::size_t{1000} * 1024;

}  // namespace muster::jobs
