#pragma once

#include "base/result.h"
#include "base/time.h"
#include "core/api/value.h"

#include <cstddef>
#include <string_view>
#include <vector>

namespace muster::jobs {

// The functions that agents run. Arguments are checked when the job is created, not only by every
// agent.
std::vector<std::string_view> known_functions();

// With its envelope this fits into one frame of the agent protocol (1 MiB).
inline constexpr std::size_t arguments_bytes_max = std::size_t{1000} * 1024;

// errc::invalid with a message that names the function or argument and the valid ones.
result<void> check_function(std::string_view function);
result<void> check_arguments_size(std::size_t bytes);  // of the JSON text
// Checks the arguments of a function. The agent checks what depends on its system, such as whether
// a user exists. The steps of a chain are checked like jobs; errors name the step by its number. A
// chain within a chain is refused.
result<void> check_arguments(std::string_view function, const api::value& arguments);

// Whether the function may change a system. Queries, comparisons and test runs do not; unknown
// functions do. A chain does if one of its steps does.
bool changes_system(std::string_view function, const api::value& arguments);

// The timeout of an attempt if none is given: an hour; for a chain the sum of the timeouts of its
// steps.
monotonic::duration default_timeout(std::string_view function, const api::value& arguments);

// The forms of arguments in a schedule.
enum class written_arguments {
    members,  // an object, as in a job
    none,     // an empty list
    command,  // a list: the command of cmd.run
};
result<written_arguments> argument_form(std::string_view function, const api::value& arguments);

}  // namespace muster::jobs
