#pragma once

#include "core/table/schema.h"

#include <chrono>
#include <string_view>
#include <vector>

namespace muster::jobs {

// Jobs (services/jobs/job_row.h), by creation time. Rows are small because all servers follow this
// table.
inline constexpr std::string_view jobs_table = "jobs";
// The fixed targets and canaries of a job, as sets of system numbers.
inline constexpr std::string_view job_targets_table = "job_targets";
// Tasks (services/jobs/task_row.h). Queued tasks have no row.
inline constexpr std::string_view tasks_table = "tasks";
// Output of tasks, by partition and digest: equal output of many systems is one row.
inline constexpr std::string_view payloads_table = "payloads";
// Digests of all payloads, without content, for fast lookups of many digests.
inline constexpr std::string_view payload_digests_table = "payload_digests";
// Length of a partition. Tasks and payloads are deleted by whole partitions.
inline constexpr std::chrono::hours tasks_span = std::chrono::hours(24 * 7);

// Steps of migrations. Once released they are fixed: a change is a new migration.
std::vector<table::step> job_tables();
std::vector<table::step> readable_payloads();

}  // namespace muster::jobs
