#pragma once

#include "core/model/job.h"

#include <string>

// What people, and nodes, may do to a job that stands. Each gives the record as it shall be, the
// same record when it is so already, or errc::conflict with a sentence that says what to do
// instead.
namespace muster::jobs {

enum class running_tasks { finish, are_ended };

struct order {
    std::string by;    // who wants it
    std::string note;  // why; may be empty
};

result<job_record> pause(job_record job, const order& from);
result<job_record> resume(job_record job, const order& from);
// What is queued is not started any more; what runs may finish, or is ended too.
result<job_record> cancel(job_record job, running_tasks what, const order& from);
// Neither parents nor canaries are waited for any longer.
result<job_record> release(job_record job, const order& from);

// Too many tasks failed: nothing more of the job is started anywhere. One that has ended stays as
// it ended; one that is being cancelled is halted.
job_record halt(job_record job, std::string reason);

// A new job for some systems of an old one: as that was, but now.
job_spec again(const job_record& old, const order& from);

}  // namespace muster::jobs
