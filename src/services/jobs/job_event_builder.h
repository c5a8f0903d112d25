#pragma once

#include "core/jobs/task_counts.h"
#include "core/model/event.h"
#include "core/model/job.h"

#include <optional>

// Builds the events of a job. An event is written in one batch with the change of the record. Its
// id contains the new version: of two concurrent changes the loser's event is discarded with its
// change. Therefore every change of a record needs an event.
namespace muster::jobs {

// Leaves out the arguments: they may be secret.
event_record job_created_event(const job_record& job);

// `counts` is empty while the job has not ended.
event_record job_changed_event(
    const job_record& before, const job_record& after, const std::optional<task_counts>& counts);

}  // namespace muster::jobs
