#pragma once

#include "base/time.h"
#include "core/fleet/system_set.h"
#include "core/model/job.h"

#include <map>
#include <string>

namespace muster::jobs {

// How a job whose start has to move goes on as others. It is never changed in place, because its
// targets and times are fixed when it is made: successors are written first, all at once, on which
// nobody may start yet. One look at a time, each a single change of a record, the rest follows: the
// old job is cancelled and says which ones it goes on as; when it has ended everywhere they are let
// go. Whoever dies in between leaves records from which the next one goes on.
//
// The old job's record decides: of several that want to take its place at the same time those win
// that it names, and the others are given up. So no work is lost, and none is done twice.

// Whether `job` waits for the end of the one whose place it takes.
inline bool waits_to_succeed(const job_spec& spec) {
    return spec.replaces && !spec.siblings.empty();
}

enum class replacement_step {
    wait,
    take_over,       // the old job is to name these as its successors, and be cancelled
    continue_chain,  // the old job has ended everywhere: the new one is as any other from now on
    give_up,
};
struct replacement_progress {
    replacement_step what = replacement_step::wait;
    std::string reason = {};  // of give_up, for people

    friend bool operator==(const replacement_progress&, const replacement_progress&) = default;
};

struct replacement_facts {
    bool complete = true;  // all siblings are on record as such
    bool begun = false;    // the old job has begun on a system of the new one, against expectation
    wall_time safe;        // what starts from then on can still be cancelled in time
};

// What comes next for one that waits. `old` is null when it is not on record any more.
replacement_progress next_step(
    const job_record& heir, const job_record* old, const replacement_facts& replacement_facts);

// The old job, named its successors and being cancelled.
job_record taken_over(job_record old, const job_record& heir);
// The new job, with nothing but its own parents and canaries to wait for.
job_record let_go(job_record heir);

// Whom a job has to start when.
using planned_starts = std::map<wall_time, fleet::system_set>;

// A job with canaries, a batch, a rate or a limit of failures means these for all of its systems;
// they would count anew in each of several jobs.
bool stays_whole(const rollout_options& options);
// All of them at the start that most of them have; of two alike, at the earlier one.
planned_starts together(const planned_starts& starts);

}  // namespace muster::jobs
