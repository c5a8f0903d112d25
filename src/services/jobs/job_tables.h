#pragma once

#include "core/table/schema.h"

#include <chrono>
#include <string_view>
#include <vector>

namespace muster::jobs {

// Jobs: a row of services/jobs/job_row.h by the time it was made. Small, so that all servers follow
// it.
inline constexpr std::string_view jobs_table = "jobs";
// The frozen targets of a job, and those that go first, as sets of system numbers.
inline constexpr std::string_view job_targets_table = "job_targets";
// What became of a job on a system: a row of services/jobs/task_row.h. Queued tasks have none.
inline constexpr std::string_view tasks_table = "tasks";
// What tasks returned, by the span of time of their partition and the digest: the same output of
// many systems is one row.
inline constexpr std::string_view payloads_table = "payloads";
// Which payloads there are, without their content: one lookup for many.
inline constexpr std::string_view payload_digests_table = "payload_digests";
// Tasks and payloads are dropped by whole spans of this length.
inline constexpr std::chrono::hours tasks_span = std::chrono::hours(24 * 7);

// Parts of migrations: once released, a change is a new list of steps in a new migration.
std::vector<table::step> job_tables();
std::vector<table::step> readable_payloads();

}  // namespace muster::jobs
