#pragma once

#include "core/jobs/task_counts.h"
#include "core/model/event.h"
#include "core/model/job.h"

#include <optional>

// What third parties are told of a job's life. An event is written in one batch with the record's
// change and named by the version that it leads to, so of two who race for a version the loser's
// event is lost with its change. That holds only if every change of a record has an event.
namespace muster::jobs {

// Arguments are not told: they may be secret.
event_record notice_of_making(const job_record& job);

// `counts` as the record keeps them; none: the job has not ended.
event_record notice_of_change(
    const job_record& before, const job_record& after, const std::optional<task_counts>& counts);

}  // namespace muster::jobs
