#pragma once

#include "core/jobs/job_function.h"
#include "core/jobs/job_rules.h"

#include <string>
#include <string_view>

// The rules of core/jobs for arguments that are text, as records keep them. Whoever has the value
// asks the rules themselves.
namespace muster::jobs {

// `arguments` is a JSON object.
result<void> check_function(std::string_view name, std::string_view arguments);
result<checked_work> check_spec(const job_spec& spec);
bool read_only(std::string_view name, std::string_view arguments);
monotonic::duration usual_time(const job_spec& work);

// Arguments as people write them into a schedule: an object as it is, a list as the command that
// cmd.run runs. errc::invalid for anything else.
result<std::string> arguments_as_object(std::string_view function, const std::string& input);

}  // namespace muster::jobs
