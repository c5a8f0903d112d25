#pragma once

#include "core/jobs/task_counts.h"

#include <boost/json/object.hpp>

#include <optional>
#include <string_view>

namespace muster::jobs {

// Converts task counts to the JSON object in rows of jobs and events: number of tasks by state.
boost::json::object to_json(const task_counts& counts);

// Empty if the text is not such an object. A missing state counts as zero.
std::optional<task_counts> parse_counts(std::string_view text);

}  // namespace muster::jobs
