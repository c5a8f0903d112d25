#pragma once

#include "base/time.h"
#include "core/model/job.h"
#include "core/rollout/node_job_state.h"
#include "core/rollout/quota.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace muster::rollout {

// What all nodes together have of a job.
struct job_totals {
    std::uint64_t queued = 0;
    std::uint64_t running = 0;
    std::uint64_t completed = 0;
    std::uint64_t failed = 0;
    std::uint64_t canaries_completed = 0;
    // When the last of them did, as far as that matters: of a job that waits after them.
    std::optional<wall_time> canaries_ended = std::nullopt;
    // Each slot is counted by its owner and by nobody else; otherwise something has just moved, and
    // what the sums say is a guess.
    bool exact = false;

    friend bool operator==(const job_totals&, const job_totals&) = default;
};
job_totals totals_of(const std::vector<node_view>& nodes);

// What the coordinator has to do about a job as a whole.
enum class job_decision_kind {
    carry_on,
    permit_all,  // the canaries succeeded, and the job has waited long enough since
    halt,
    end,
};
struct job_decision {
    job_decision_kind what = job_decision_kind::carry_on;
    job_stage stage = job_stage::open;  // of halt and end
    std::string reason;                 // for people

    friend bool operator==(const job_decision&, const job_decision&) = default;
};

// Judges by exact sums only: while slots move, what is counted twice or not at all could end a job
// that should go on. Each node stops by itself when its own failures are too many.
struct job_time {
    bool expired = false;  // the job's time is over
    wall_time now = {};
};
job_decision decide(
    const job_record& job,
    const permission& now_permitted,
    const job_totals& sums,
    const job_time& time);

// When those that are no canaries may start; nothing while that is not known.
std::optional<wall_time> rest_starts(const job_spec& spec, std::optional<wall_time> canaries_ended);

}  // namespace muster::rollout
