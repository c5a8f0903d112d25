#pragma once

#include "base/result.h"
#include "base/time.h"
#include "core/api/value.h"

#include <cstddef>
#include <string_view>
#include <vector>

namespace muster::jobs {

// What agents can be asked to do. A wrong argument is refused when the job is made, before it is
// refused a million times.
std::vector<std::string_view> known_functions();

// With what stands around them they fit into one frame of an agent's channel (1 MiB).
inline constexpr std::size_t arguments_bytes_max = std::size_t{1000} * 1024;

// Each is errc::invalid with a sentence that names the function or the argument and what is known.
result<void> check_known(std::string_view function);
result<void> check_arguments_size(std::size_t bytes);  // of their text
// Of a known function. What only the system itself can know, such as whether a user exists, is left
// to the agent. The steps of a chain are checked as jobs of their own would be, and named by their
// number; a chain within a chain is refused.
result<void> check_arguments(std::string_view function, const api::value& arguments);

// Whether such work may change a system. What only asks, compares or tries does not; what is not
// known to be harmless does. A chain does if one of its steps does.
bool changes_system(std::string_view function, const api::value& arguments);

// How long an attempt may take when nobody says so: an hour, and of a chain the time limits of all
// its steps.
monotonic::duration usual_timeout(std::string_view function, const api::value& arguments);

// How people write arguments into a schedule.
enum class written_arguments {
    members,  // an object, as a job has it
    none,     // an empty list
    command,  // a list: the command that cmd.run runs
};
result<written_arguments> form_of(std::string_view function, const api::value& written);

}  // namespace muster::jobs
