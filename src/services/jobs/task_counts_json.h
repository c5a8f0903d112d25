#pragma once

#include "core/jobs/task_counts.h"

#include <boost/json/object.hpp>

#include <optional>
#include <string_view>

namespace muster::jobs {

// Task counts as rows of jobs and events store them: the number of tasks by state.
boost::json::object stored_counts(const task_counts& counts);

// Nothing for a text that is not such an object. A state that is missing counts as zero.
std::optional<task_counts> parse_counts(std::string_view text);

}  // namespace muster::jobs
