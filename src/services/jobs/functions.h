#pragma once

#include "core/jobs/job_function.h"
#include "core/jobs/job_rules.h"

#include <string>
#include <string_view>

// The rules of core/jobs for arguments that are stored as JSON text. Callers with a parsed value
// call the rules directly.
namespace muster::jobs {

// `arguments` is a JSON object.
result<void> check_function(std::string_view name, std::string_view arguments);
result<checked_work> check_spec(const job_spec& spec);
bool is_read_only(std::string_view name, std::string_view arguments);
monotonic::duration default_timeout(const job_spec& work);

// Converts the arguments that users write into a schedule. Keeps an object as it is; a list becomes
// the command of cmd.run. errc::invalid for anything else.
result<std::string> to_argument_object(std::string_view function, const std::string& input);

}  // namespace muster::jobs
