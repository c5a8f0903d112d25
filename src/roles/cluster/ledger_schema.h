#pragma once

#include "core/table/schema.h"

#include <chrono>
#include <string_view>

namespace muster::cluster {

// The ledger's tables and their whole history. Append migrations; never alter a released one.
table::schema ledger_schema();

// The cluster this database belongs to: one row.
inline constexpr std::string_view cluster_table = "cluster";
// Who did what, from where, and how it ended.
inline constexpr std::string_view audit_table = "audit";
// Every system: a row of roles/fleet/system_row.h by fingerprint.
inline constexpr std::string_view systems_table = "systems";
// What systems told of themselves: a row of roles/fleet/facts_row.h by fingerprint.
inline constexpr std::string_view facts_table = "facts";
// Names for expressions: a row of roles/fleet/saved_group.h by name.
inline constexpr std::string_view saved_groups_table = "saved_groups";

// Jobs: a row of roles/jobs/job_row.h by the time it was made. Small, so that all servers follow
// it.
inline constexpr std::string_view jobs_table = "jobs";
// The frozen targets of a job, and those that go first, as sets of system numbers.
inline constexpr std::string_view job_targets_table = "job_targets";
// What became of a job on a system: a row of roles/jobs/task_row.h. Queued tasks have none.
inline constexpr std::string_view tasks_table = "tasks";
// What tasks returned, by the span of time of their partition and the digest: the same output of
// many systems is one row.
inline constexpr std::string_view payloads_table = "payloads";
// Which payloads there are, without their content: one lookup for many.
inline constexpr std::string_view payload_digests_table = "payload_digests";
// Tasks and payloads are dropped by whole spans of this length.
inline constexpr std::chrono::hours tasks_span = std::chrono::hours(24 * 7);

// Calendars, maintenance schedules and what runs again and again: roles/windows/window_record.h.
inline constexpr std::string_view window_records_table = "window_records";

// What happened, for third parties: a row of core/events/event_row.h. Returns are not among it:
// the tasks' own change sequence tells them.
inline constexpr std::string_view events_table = "events";

// Which parts of the record were archived, how far and by whom: a row of
// roles/retention/archive_note.h by the span's beginning and the part.
inline constexpr std::string_view archives_table = "archives";

}  // namespace muster::cluster
