#pragma once

#include "core/model/job.h"

#include <string>

// Changes of a job by operators and nodes. Each function returns the new record, or the same record
// if nothing changes. errc::conflict if the change is not possible, with a hint what to do instead.
namespace muster::jobs {

enum class running_task_policy { finish, kill };

struct change_origin {
    std::string user;  // who requests the change
    std::string note;  // why; may be empty
};

result<job_record> pause(job_record job, const change_origin& origin);
result<job_record> resume(job_record job, const change_origin& origin);
// Queued tasks do not start any more. Running tasks finish, or are killed.
result<job_record> cancel(job_record job, running_task_policy policy, const change_origin& origin);
// The job no longer waits for parents and canaries.
result<job_record> release(job_record job, const change_origin& origin);

// Too many tasks failed: no more tasks start anywhere. An ended job stays unchanged; a job that is
// being cancelled is halted.
job_record halt(job_record job, std::string reason);

// The spec of a new job that repeats an old one now.
job_spec retry_spec(const job_record& old, const change_origin& origin);

}  // namespace muster::jobs
