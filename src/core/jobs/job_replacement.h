#pragma once

#include "base/time.h"
#include "core/fleet/system_set.h"
#include "core/model/job.h"

#include <map>
#include <string>

namespace muster::jobs {

// Replaces a job whose start must move by new jobs. A job is not changed in place, because its
// targets and times are fixed at creation. The replacements are written first, all at once, and may
// not start yet. Each further step changes a single record: the original is cancelled and names its
// replacements; when it has ended everywhere, the replacements are released. If a server stops in
// between, another one continues from the records.
//
// The record of the original decides. If several groups of replacements compete, the group that the
// original names wins and the others are abandoned. So no work is lost or done twice.

// Whether the job waits for the end of its original.
inline bool waits_for_original(const job_spec& spec) {
    return spec.replaces && !spec.siblings.empty();
}

enum class replacement_step {
    wait,
    cancel_original,  // the original names its replacements and is cancelled
    release,          // the original has ended everywhere; the replacement may start
    abandon,
};
struct replacement_progress {
    replacement_step step = replacement_step::wait;
    std::string reason = {};  // of abandon, for operators

    friend bool operator==(const replacement_progress&, const replacement_progress&) = default;
};

struct replacement_facts {
    bool complete = true;         // all siblings are recorded
    bool original_begun = false;  // the original started on a system of the replacement
    wall_time safe_from;          // a start from then on can still be cancelled in time
};

// The next step of a waiting replacement. `original` is null if it is not recorded any more.
replacement_progress next_step(
    const job_record& replacement, const job_record* original, const replacement_facts& facts);

// The original, with its replacements named and being cancelled.
job_record mark_replaced(job_record original, const job_record& replacement);
// The replacement, which now waits only for its own parents and canaries.
job_record release_replacement(job_record replacement);

// The systems of a job by start time.
using planned_starts = std::map<wall_time, fleet::system_set>;

// Whether a job must not be split: canaries, batch, rate and failure limit apply to all of its
// systems and would apply to each part separately.
bool must_stay_whole(const rollout_options& options);
// All systems at the most frequent start; the earliest of equally frequent ones.
planned_starts merge_starts(const planned_starts& starts);

}  // namespace muster::jobs
